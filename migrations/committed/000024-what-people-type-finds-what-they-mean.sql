--! AllowInvalidHash
--! Previous: sha1:d38e8fb9375e016ffb19dd380d63a10d0a1cafe3
--! Hash: sha1:bd95ac302010b9ad99742400f5e5383d7c0cfcf6
--! Message: what people type finds what they mean

--! split: 100-search-form.sql

-- allow: change-behaviour:app_hidden.start_of because excerpts are plain text: test/publishing
-- allow: change-behaviour:app_hidden.tg_posts__prepare because excerpts are plain text: test/publishing
-- One form in which texts are indexed and asked for: names, tags, words of posts, similar titles.
--! Included functions/conventions/search_form.sql
-- Tables, because lower() depends on the database's locale, and the rules of unaccent on the version of PostgreSQL: an index of forms has to
-- outlive both. Marks of Indic scripts, kana and Thai are letters; those of Latin, Greek, Cyrillic, Hebrew and Arabic are accents.
-- What cannot be seen goes after the last normalize(): without it, runs of marks could join, and normalize() is quadratic in them.
create or replace function conventions.search_letters(given text, keeps_accents boolean default false) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := given;
  v_emoji text;
begin
  if octet_length(given) > char_length(given) then
    if not conventions.bounded_text(given, null) then
      return '';
    end if;
    v_text := left(normalize(translate(given, '’‘‛ʼʻ‵′´ʹʾʿ׳״™®©℠…‐‑−–·־֊‧', '''''''''''''''''''''''''''     --------'), NFKD), 180000);
    if not keeps_accents then
      v_text := regexp_replace(v_text, '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC'
        '\u06DF-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u093C\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+', '', 'g');
    end if;
    if v_text ~ '[ÆØÞÐĐĦŁŊŒŦƀ-ɏẞ]' then
      v_text := translate(v_text, 'ÆÐØÞĐĦŁŊŒŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎẞ',
        'æðøþđħłŋœŧɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏß');
    end if;
    if v_text ~ '[Ͱ-Ͽ]' then
      v_text := translate(v_text, 'ͰͲͶͿΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩϏς',
        'ͱͳͷϳαβγδεζηθικλμνξοπρστυφχψωϗσ');
    end if;
    if v_text ~ '[Ѐ-Я\u0460-\u052F]' then
      v_text := translate(v_text, 'ЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍ'
        'ӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ',
        'ђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎ'
        'ӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯ');
    end if;
    if v_text ~ '[Ա-Ֆ]' then
      v_text := translate(v_text, 'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
        'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    end if;
    if v_text ~ '[Ა-Ჿ]' then
      v_text := translate(v_text, 'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
        'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ');
    end if;
    if not keeps_accents then
      -- Letters that Unicode does not decompose, and what writers of Arabic, Persian and Hindi use alike.
      v_text := translate(v_text, 'øłđħŧıðƀɓƈɖɗǝəɛƒɠɣǥɨɩƙƚɲŋɵɔƥɍƭʈʉʋƴƶʒĸɇɉȼⱥⱦґғқңҝүұҳҷөӏىةکیےٱەँ',
                                  'oldhtidbbcddeeefgggiiklnnooprttuvyzzkejcatггкнкуухчоіيهكيياهं');
      if v_text ~ '[ßæœþ]' then
        v_text := replace(replace(replace(replace(v_text, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
      end if;
    end if;
    v_text := normalize(translate(v_text, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯', '0123456789012345678901234567890123456789'), NFC);
    v_text := regexp_replace(v_text, '[\u00AD\u034F\u0640\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164'
      '\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\U0001F3FB-\U0001F3FF\U000E0000-\U000E0FFF]+', '', 'g');
    -- As words of letters, because a text search parser reads no symbols.
    if v_text ~ '[\u231A-\u23FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]' then
      for v_emoji in
        select distinct emoji[1] from regexp_matches(v_text, '[\u231A-\u23FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]', 'g') as emoji limit 40
      loop
        v_text := replace(v_text, v_emoji, ' emoji' || to_hex(ascii(v_emoji)) || ' ');
      end loop;
    end if;
  end if;
  v_text := lower(v_text collate "C");
  if strpos(v_text, '+') > 0 or strpos(v_text, '#') > 0 then
    v_text := regexp_replace(replace(v_text, '++', 'plusplus'), '(^|[^a-z0-9])([a-z])#(?![a-z0-9])', '\1\2sharp', 'g');
  end if;
  return v_text;
end $$;
comment on function conventions.search_letters(text, boolean) is $$The letters of a text as the search compares them: in lower case, in compatible form (NFKC), without what cannot be seen, and without accents unless keeps_accents. Punctuation stays. The first 180,000 characters.$$;
grant execute on function conventions.search_letters(text, boolean) to :API_ANONYMOUS, :API_MEMBER;

-- Each character of a script without spaces is doubled, the first of each run goes, and each two are a word.
create or replace function conventions.search_words(letters text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := replace(app_hidden.slug_words(replace(letters, '''', '')), '-', ' ');
begin
  if octet_length(v_text) = char_length(v_text) or v_text !~ ('[' || conventions.unspaced_scripts() || ']') then
    return v_text;
  end if;
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '])(?=[^ ' || conventions.unspaced_scripts() || '])', '\1 ', 'g');
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '])', '\1\1', 'g');
  v_text := regexp_replace(v_text, '(^|[^' || conventions.unspaced_scripts() || '])[' || conventions.unspaced_scripts() || ']', '\1 ', 'g');
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '][' || conventions.unspaced_scripts() || '])', '\1 ', 'g');
  return btrim(regexp_replace(v_text, ' {2,}', ' ', 'g'));
end $$;
comment on function conventions.search_words(text) is $$The words of what conventions.search_letters() returns, with a space between two. Of a script without spaces, each character with the next one is a word, and the last one alone.$$;
grant execute on function conventions.search_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function conventions.unspaced_scripts() returns text
language sql immutable parallel safe
return '\u0E01-\u0EFF\u1000-\u109F\u1780-\u17DD\u2E80-\u2FDF\u3005-\u3007\u3041-\u309F\u30A1-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF';
comment on function conventions.unspaced_scripts() is $$The characters of scripts without spaces between words, for a bracket expression: Han, kana, Thai, Lao, Khmer, Burmese.$$;
grant execute on function conventions.unspaced_scripts() to :API_ANONYMOUS, :API_MEMBER;

create or replace function conventions.search_form(given text) returns text
language sql immutable strict parallel safe
return conventions.search_words(conventions.search_letters(given));
comment on function conventions.search_form(text) is $$The form by which a text is found: “Anne-Marie O’Neil, Tromsø” is “anne marie oneil tromso”, “東京都” is “東京 京都 都”. In any database and version of PostgreSQL the same.$$;
grant execute on function conventions.search_form(text) to :API_ANONYMOUS, :API_MEMBER;

-- The joints are those after which people may or may not write a space.
create or replace function conventions.search_compounds(letters text) returns text
language sql immutable strict parallel safe
return (
  select conventions.search_words(coalesce(string_agg(translate(word[1], '-_.&,''', '') || case when word[1] ~ '''' then ' ' || replace(word[1], '''', ' ') else '' end, ' '), ''))
    from regexp_matches(letters, '[0-9]+(?:,[0-9]{3})+|[a-z0-9\u0080-\U0010FFFF]+(?:[-_.&''][a-z0-9\u0080-\U0010FFFF]+)+', 'g') as word
   where char_length(word[1]) <= 60);
comment on function conventions.search_compounds(text) is $$Further words of what conventions.search_letters() returns: those of a compound in one, and what an apostrophe divides. “anne-marie o'neil” has annemarie, oneil, o and neil.$$;
grant execute on function conventions.search_compounds(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/search_form.sql
--! Included functions/search/search_query.sql
-- A phrase of its words, or the word in one: so “Anne-Marie”, “Anne Marie” and “Annemarie” find each other. A single character of a script
-- without spaces is the beginning of a word of two.
create or replace function conventions.search_term(language regconfig, text text, is_unfinished boolean default false, keeps_accents boolean default false)
returns tsquery
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'error' as $$
declare
  v_letters text := conventions.search_letters(text, keeps_accents);
  v_script text := '[' || conventions.unspaced_scripts() || ']';
  v_words text := regexp_replace(conventions.search_words(v_letters), '(' || v_script || ') ' || v_script || '(?= |$)', '\1', 'g');
  v_query tsquery := phraseto_tsquery(language, v_words);
  v_compound tsquery;
begin
  if v_letters ~ '^[^a-z0-9\u0080-\U0010FFFF]*[a-z0-9\u0080-\U0010FFFF]+(?:[-_.&,''][a-z0-9\u0080-\U0010FFFF]+)+[^a-z0-9\u0080-\U0010FFFF]*$' then
    v_compound := phraseto_tsquery(language, (regexp_match(conventions.search_compounds(v_letters), '^\S+'))[1]);
  end if;
  if strpos(v_letters, '''') > 0 then
    v_query := v_query || phraseto_tsquery(language, conventions.search_words(replace(v_letters, '''', ' ')));
  end if;
  if is_unfinished and numnode(v_query) > 0 then
    v_query := (v_query::text || ':*')::tsquery;
    v_compound := case when numnode(v_compound) > 0 then (v_compound::text || ':*')::tsquery end;
  end if;
  v_query := case when numnode(v_compound) > 0 then v_query || v_compound else v_query end;
  return regexp_replace(v_query::text, '''(' || v_script || ')''(?!:)', '''\1'':*', 'g')::tsquery;
end $$;
comment on function conventions.search_term(regconfig, text, boolean, boolean) is $$Finds texts with these words one after the other. The last one may be unfinished.$$;
grant execute on function conventions.search_term(regconfig, text, boolean, boolean) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.is_plain_search(text text) returns boolean
language sql immutable parallel safe
return text !~* '"|(^|\s)-\S|\sor\s';
comment on function app_hidden.is_plain_search(text) is $$Whether a search has no operators, so that its last word may be unfinished.$$;
grant execute on function app_hidden.is_plain_search(text) to :API_ANONYMOUS, :API_MEMBER;

-- As websearch_to_tsquery() does: words, "phrases", or, -without. An operator or a quotation mark finishes the last word.
create or replace function app_hidden.read_query(text text, is_unfinished boolean default false, keeps_accents boolean default false) returns tsquery
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'error' as $$
declare
  v_language regconfig := app_hidden.search_language();
  v_is_plain boolean := app_hidden.is_plain_search(text);
  v_parts text[] := array(select part[1] from regexp_matches(text, '-?"[^"]*"?|[^\s"]+', 'g') as part);
  v_place int;
  v_term tsquery;
  v_all tsquery;
  v_any tsquery;
begin
  for v_place in 1 .. cardinality(v_parts) loop
    if lower(v_parts[v_place]) = 'or' and not v_is_plain then
      v_any := coalesce(v_any || v_all, v_any, v_all);
      v_all := null;
      continue;
    end if;
    v_term := conventions.search_term(v_language, v_parts[v_place], is_unfinished and v_is_plain and v_place = cardinality(v_parts), keeps_accents);
    continue when numnode(v_term) = 0;
    if v_parts[v_place] ~ '^-' then
      v_term := !!v_term;
    end if;
    v_all := coalesce(v_all && v_term, v_term);
  end loop;
  return coalesce(v_any || v_all, v_any, v_all, '');
end $$;
comment on function app_hidden.read_query(text, boolean, boolean) is $$The words to look for: all of them, "one after the other", with or between them either, with - before one without it. The last one of an unfinished text may be the beginning of a word. With keeps_accents, the words as they are written.$$;
grant execute on function app_hidden.read_query(text, boolean, boolean) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search/search_query.sql
--! Included functions/posts/plain_text.sql
-- Each pattern ends at the first character that it cannot hold, so a text of unfinished marks takes linear time. What a backslash protects
-- waits as a private character.
create or replace function app_hidden.plain_text(markdown text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := markdown;
begin
  if v_text ~ '[]*_~`[<>#=|\\&-]|^ {0,3}\d{1,9}[.)]' then
    if strpos(v_text, '\') > 0 then
      v_text := regexp_replace(v_text, '\\$', '', 'gn');
      for v_place in 1..12 loop
        v_text := replace(v_text, '\' || substr('*_[]<`#\~|&!', v_place, 1), chr(63233 + v_place));
      end loop;
    end if;
    -- Fences of code, headings, quotations, items of lists, rules, definitions of links, rows that divide a table.
    v_text := regexp_replace(v_text, '^[ \t]{0,3}(`{3,}[^`\n]*|~{3,}[^\n]*|=+[ \t]*|[-*_](?:[ \t]*[-*_]){2,}[ \t]*|\[[^]\n]+\]:[ \t]*[^ \t\n]+[^\n]*|\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*)$', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:>[ \t]?)+', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*#{1,6}(?:[ \t]+|$)', '', 'gn');
    v_text := regexp_replace(v_text, '[ \t]+#+[ \t]*$', '', 'gn');
    if strpos(v_text, '<') > 0 then
      v_text := regexp_replace(v_text, '<!--(?:[^-]|-[^-])*-->', ' ', 'g');
      v_text := regexp_replace(v_text, '<(?:script|style)(?:\s[^<>]*)?>(?:[^<]|<[^/])*</(?:script|style)\s*>', ' ', 'gi');
      v_text := regexp_replace(v_text, '<((?:https?|ftp|mailto):[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>', '\1', 'gi');
      v_text := regexp_replace(v_text, '</?(?:p|div|br|hr|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|pre|section|figure|figcaption)(?:[\s/][^<>]*)?>', ' ', 'gi');
      v_text := regexp_replace(v_text, '</?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>', '', 'gi');
    end if;
    if strpos(v_text, '[') > 0 then
      -- Pictures first: one may be the text of a link.
      v_text := regexp_replace(v_text, '!\[([^][]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+["''(][^()]*)?\)|\[[^][]*\])', '\1', 'g');
      v_text := regexp_replace(v_text, '\[([^][]*)\](?:\(\s*(?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+["''(][^()]*)?\s*\)|\[[^][]*\])', '\1', 'g');
    end if;
    v_text := regexp_replace(v_text, '`+([^`]+)`+', '\1', 'g');
    if strpos(v_text, '*') > 0 then
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
    end if;
    if strpos(v_text, '_') > 0 then
      v_text := regexp_replace(v_text, '(^|[\s(\[{"''>*~.,;:!?“‘„«¿¡—–-])_{1,3}([^\s_](?:[^\n_]*[^\s_])?)_{1,3}(?![a-zA-Z0-9_\u00C0-\u024F])', '\1\2', 'g');
    end if;
    v_text := regexp_replace(v_text, '~~([^~\n]+)~~', '\1', 'g');
    if strpos(v_text, '&') > 0 then
      v_text := replace(replace(replace(replace(replace(replace(v_text, '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&');
    end if;
    if strpos(markdown, '\') > 0 then
      v_text := translate(v_text, U&'\F702\F703\F704\F705\F706\F707\F708\F709\F70A\F70B\F70C\F70D', '*_[]<`#\~|&!');
    end if;
  end if;
  return btrim(regexp_replace(v_text, '[\s\u0085\u00A0\u2028\u2029]+', ' ', 'g'), ' ');
end $$;
comment on function app_hidden.plain_text(text) is $$A text without the marks of CommonMark and HTML: of links and pictures their text, of code its lines. White space is one space.$$;
grant execute on function app_hidden.plain_text(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_plain_text(posts app_public.posts) returns text
language sql stable cost 1000
return app_hidden.plain_text(posts.content);
comment on function app_public.posts_plain_text(app_public.posts) is $$@notNull
The content without the marks of Markdown and HTML, in one line: for previews, feeds and search engines.$$;
grant execute on function app_public.posts_plain_text(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/plain_text.sql
--! Included functions/posts/start_of.sql
-- A word is cut off only if it is long, as a text without spaces is. Then the cut is between two characters as readers see them: before a
-- letter with its marks, or the parts of an emoji. The list has the general marks, and those of scripts without spaces.
create or replace function app_hidden.start_of(content text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := left(content, 201);
  v_marks text := '[\u0300-\u036F\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u0F71-\u0F84\u0F8D-\u0FBC\u102B-\u103E'
    '\u1056-\u1059\u17B4-\u17D3\u200D\u20D0-\u20FF\u302A-\u302F\u3099-\u309A\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]';
begin
  -- Drop characters that must not be stored: the content's own error reports them, once.
  if octet_length(v_text) > char_length(v_text) then
    v_text := regexp_replace(v_text, '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g');
  end if;
  if char_length(v_text) <= 200 then
    return rtrim(v_text, E' \t\r\n');
  end if;
  v_text := left(v_text, 200);
  return regexp_replace(
    coalesce(left(v_text, 160) || substring(right(v_text, 40) from '^.*\s'),
             -- An address is long, too, and no place to cut.
             case when v_text ~ '\s[!-~]+$' then substring(v_text from '^(.*\S)\s+[!-~]+$') end,
             -- These three join the next character to the one before.
             regexp_replace(v_text, '(?:.' || v_marks || '*[\u1039\u17D2\u200D])*.' || v_marks || '*$', '')),
    '[\s,;:]+$', '') || '…';
end $$;
comment on function app_hidden.start_of(text) is $$The beginning of a text, at most 200 characters: in whole words, with an ellipsis if the text is longer.$$;
grant execute on function app_hidden.start_of(text) to :API_ANONYMOUS, :API_MEMBER;

-- As much of the content as has 200 characters without its marks, as a rule.
create or replace function app_hidden.made_excerpt(content text) returns text
language sql immutable parallel safe
return coalesce(nullif(app_hidden.start_of(app_hidden.plain_text(left(content, 4000))), ''), app_hidden.start_of(content));
comment on function app_hidden.made_excerpt(text) is $$The excerpt of a post whose author has not written one: the beginning of its plain text, at most 200 characters.$$;
grant execute on function app_hidden.made_excerpt(text) to :API_MEMBER;
--! EndIncluded functions/posts/start_of.sql
--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- The slug and the excerpt are made of the texts as they will be stored.
  new.title := conventions.normal_text(new.title, 200, true);
  new.excerpt := conventions.normal_text(new.excerpt, 200);
  new.content := conventions.normal_text(new.content, 100000);

  -- A generated excerpt follows the content; until 2026, it was the beginning with its marks. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt in (app_hidden.made_excerpt(old.content), app_hidden.start_of(old.content))) then
    new.excerpt := coalesce(app_hidden.made_excerpt(new.content), '');
  end if;

  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new);
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/posts/tg_posts__prepare.sql

--! split: 200-names.sql
-- allow: change-behaviour:app_hidden.name_query because names are found by their search form: test/reading/finding
-- allow: change-behaviour:app_hidden.user_ids_named because names are found by their search form: test/reading/finding
-- allow: change-behaviour:app_hidden.first_users_named because names are found by their search form: test/reading/finding
-- allow: require-concurrent-index-creation:app_public.users because the index needs a function of this migration; a million names take half a minute
-- allow: require-concurrent-index-deletion:app_public.users_name_words_idx because the index that replaces it is here
-- People are found by each beginning of their names, with or without accents and hyphens.
--! Included functions/users/users_named.sql
create or replace function app_hidden.name_words(name text) returns tsvector
language sql immutable parallel safe
return to_tsvector('simple', conventions.search_form(name)) || to_tsvector('simple', conventions.search_compounds(conventions.search_letters(name)));
comment on function app_hidden.name_words(text) is $$The words of a name in the search form. An index has those of all users.$$;
grant execute on function app_hidden.name_words(text) to :API_ANONYMOUS, :API_MEMBER;

-- Names have no language. A longer text than any name finds nobody.
create or replace function app_hidden.name_query(name_starts_with text) returns tsquery
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := regexp_split_to_array(btrim(left(conventions.normal_text(name_starts_with, 100, true), 200)), '\s+');
  v_query tsquery := '';
begin
  for v_place in 1 .. coalesce(cardinality(v_words), 0) loop
    v_query := v_query && conventions.search_term('simple', v_words[v_place], v_place = cardinality(v_words));
  end loop;
  return v_query;
end $$;
comment on function app_hidden.name_query(text) is $$Finds the names that have these words, of which the last one may be unfinished.$$;
grant execute on function app_hidden.name_query(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.user_ids_named(name_starts_with text) returns setof bigint
language sql stable as $$
  select id from app_public.users where app_hidden.name_words(name) @@ app_hidden.name_query(name_starts_with)
$$;
comment on function app_hidden.user_ids_named(text) is $$The ids of the users with these words in their name. For the filter by name.$$;
grant execute on function app_hidden.user_ids_named(text) to :API_ANONYMOUS, :API_MEMBER;

-- PostgreSQL's estimate of a beginning, or of two words together, is a guess, and one wrong plan reads all users. So this function looks
-- first: of a frequent name, among the first 500 users; of a rare one, in the index of names; else, in the order of ids until there are enough.
create or replace function app_hidden.first_users_named(name_starts_with text, page int, after_id bigint default -1)
returns setof app_public.users
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_query tsquery := app_hidden.name_query(name_starts_with);
  v_last bigint := (select max(id) from (select id from app_public.users where id > after_id order by id limit 500) as first_users);
  v_ids bigint[];
  v_found int;
begin
  return query select * from app_public.users
    where app_hidden.name_words(name) @@ v_query and id > after_id and id <= v_last order by id limit page;
  get diagnostics v_found = row_count;
  if v_found = page then
    return;
  end if;
  -- "id + 0" rules out the index of ids.
  v_ids := array(select id from app_public.users where app_hidden.name_words(name) @@ v_query and id + 0 > v_last limit 1000);
  if cardinality(v_ids) < 1000 then
    return query select * from app_public.users where id = any (v_ids) order by id limit page - v_found;
  else
    return query select * from app_public.users
      where app_hidden.name_words(name) @@ v_query and id > v_last order by id limit page - v_found;
  end if;
end $$;
comment on function app_hidden.first_users_named(text, int, bigint) is $$The first users with these words in their name, or those after a place.$$;
grant execute on function app_hidden.first_users_named(text, int, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_named.sql
create index if not exists users_name_forms_idx on app_public.users using gin (app_hidden.name_words(name));
drop index if exists app_public.users_name_words_idx;

--! split: 300-tags.sql
-- allow: update-all-rows:app_public.tags because a name with two spaces gets one, and there are few tags beside the posts
-- allow: change-behaviour:app_hidden.tag_name because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.tag_names because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.tag_ids_named because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.first_tags_named because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.set_post_tags because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_public.tag_by_name because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.post_ids_of_tag because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.first_posts_tagged because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_public.posts_count because a tag is found by its search form: test/reading/finding
-- allow: exposed:app_public.tags.form because it follows from the name
-- allow: definer-function:app_hidden.set_post_tags because it reads the form instead of the name, and returns what it did
-- allow: rewrite:app_public.tags because there are few tags beside the posts
-- allow: constraint-missing-not-valid:app_public.tags because there are few tags beside the posts
-- allow: disallowed-unique-constraint:app_public.tags because there are few tags beside the posts
-- A tag is what people see: tags that differ in case, accents, white space or invisible characters are one.
--! Included functions/posts/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(
  conventions.normal_text(case when char_length(given) > 200 then given else lower(given) end, 50, true),
  '[\u00AD\u200B\u2060\uFEFF]+', '', 'g'), '^\s+$|(\s)\s+', '\1', 'g');
comment on function app_hidden.tag_name(text) is $$The stored form of a tag: trimmed, lower case, Unicode normal form C, with single spaces.$$;
grant execute on function app_hidden.tag_name(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.tag_form(name text) returns text
language sql immutable parallel safe
return coalesce(nullif(conventions.search_form(left(name, 200)), ''), app_hidden.tag_name(name));
comment on function app_hidden.tag_form(text) is $$What a tag is found by, and is compared by with others: its search form, or a tag of symbols itself.$$;
grant execute on function app_hidden.tag_form(text) to :API_ANONYMOUS, :API_MEMBER;

-- plpgsql, because PostgreSQL would plan a SQL function for each number of tags.
create or replace function app_hidden.tag_names(given text[]) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
begin
  return array(
    select (array_agg(name order by place))[1]
      from (select app_hidden.tag_name(g.tag) as name, g.place from unnest(given) with ordinality as g (tag, place)) as named
     group by app_hidden.tag_form(name) order by min(place));
end $$;
comment on function app_hidden.tag_names(text[]) is $$The stored form of the tags, without duplicates, in the given order.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/posts/tag_names.sql
do $$
declare
  v_tags int;
  v_posts int;
begin
  create temp table merged on commit drop as
    select id, first_value(id) over (partition by app_hidden.tag_form(name) order by posts desc, name) as kept_id
      from app_public.tags, lateral (select count(*) as posts from app_public.post_tags where tag_id = tags.id) as counted;
  delete from merged where id = kept_id;
  select count(*) into v_tags from merged;
  -- The foreign key of public_post_id would take the other tag's id along.
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null where id in (select id from merged);
  with wanted as (
    select post_id, tag_id, coalesce(kept_id, tag_id) as kept_id, kept_id is not null as is_merged,
           row_number() over (partition by post_id, coalesce(kept_id, tag_id) order by kept_id is null desc, position) as place
      from app_public.post_tags left join merged on id = tag_id
     where tag_id in (select id from merged union all select kept_id from merged)
  ), surplus as (
    delete from app_public.post_tags using wanted
     where wanted.post_id = post_tags.post_id and wanted.tag_id = post_tags.tag_id and wanted.place > 1
  )
  update app_public.post_tags set tag_id = wanted.kept_id from wanted
   where wanted.post_id = post_tags.post_id and wanted.tag_id = post_tags.tag_id and wanted.place = 1 and wanted.is_merged;
  get diagnostics v_posts = row_count;
  delete from app_public.tags where id in (select id from merged);
  update app_public.tags set name = app_hidden.tag_name(name) where name <> app_hidden.tag_name(name);
  raise notice '% tags are merged with another one that people read alike, and % of their posts have that one now.', v_tags, v_posts;
end $$;
-- PostgreSQL's minor versions from November 2026 on write no table again while a parsed function uses its row type. Below, it is as before.
create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable as 'select 0';
-- Generated, so that a tag has its form also where triggers are off.
alter table app_public.tags add column if not exists form text collate "C" generated always as (app_hidden.tag_form(name)) stored not null;
comment on column app_public.tags.form is $$@behavior -*
The search form of the name.$$;
alter table app_public.tags drop constraint if exists tags_form_key;
alter table app_public.tags add constraint tags_form_key unique (form);
comment on constraint tags_form_key on app_public.tags is $$@behavior -single
This tag already exists.$$;
--! Included functions/posts/tags_named.sql
create or replace function app_hidden.tag_ids_named(name_starts_with text) returns setof bigint
language sql stable as $$
  select id from app_public.tags
   where app_hidden.tag_form(name_starts_with) <> '' and form between app_hidden.tag_form(name_starts_with) and app_hidden.tag_form(name_starts_with) || chr(1114111)
$$;
comment on function app_hidden.tag_ids_named(text) is $$The ids of the tags that begin so. For the filter by name.$$;
grant execute on function app_hidden.tag_ids_named(text) to :API_ANONYMOUS, :API_MEMBER;

-- Tags are in the order of their names, and found by their forms. An empty text finds none, as it finds no user. Where more than 1,000 begin so, the first by name are soon found.
create or replace function app_hidden.first_tags_named(name_starts_with text, page int, after_name text default '') returns setof app_public.tags
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_form text := app_hidden.tag_form(name_starts_with);
  v_ids bigint[] := array(select id from app_public.tags where v_form <> '' and form between v_form and v_form || chr(1114111) limit 1001);
begin
  if cardinality(v_ids) <= 1000 then
    return query select * from app_public.tags where id = any (v_ids) and name > after_name order by name limit page;
  else
    return query select * from app_public.tags where form between v_form and v_form || chr(1114111) and name > after_name order by name limit page;
  end if;
end $$;
comment on function app_hidden.first_tags_named(text, int, text) is $$The first tags that begin so, or those after a place.$$;
grant execute on function app_hidden.first_tags_named(text, int, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/tags_named.sql
--! Included functions/posts/tag_by_name.sql
create or replace function app_public.tag_by_name(name text) returns app_public.tags
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_tag app_public.tags;
begin
  select * into v_tag from app_public.tags where tags.form = app_hidden.tag_form(tag_by_name.name);
  if not found then
    perform app_hidden.refuse_missing('tag');
  end if;
  return v_tag;
end $$;
comment on function app_public.tag_by_name(text) is $$@describe name The keyword, in any case, with or without accents.
The tag of this name. NOT_FOUND when there is none that you may see.$$;
grant execute on function app_public.tag_by_name(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/tag_by_name.sql
--! Included functions/posts/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[], keeps_revision boolean default false) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_forms text[];
  v_former text[];
  v_count int;
  v_post app_public.posts;
  -- The role of the caller: this function itself runs as its owner.
  v_caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  -- The lock makes writers of the same post's tags take turns.
  select * into v_post from app_public.posts where posts.id = set_post_tags.post_id for no key update;
  if v_post.id is null or v_post.author_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_is_admin()
     -- Roles that may write the table need no viewer.
     and not has_table_privilege(v_caller, 'app_public.post_tags', 'insert') then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform conventions.raise_validation_errors(app_hidden.tag_errors(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  v_forms := array(select app_hidden.tag_form(name) from unnest(v_names) with ordinality as given (name, place) order by place);
  v_former := array(select t.form from app_public.post_tags join app_public.tags t on t.id = tag_id
                     where post_tags.post_id = set_post_tags.post_id order by position);
  if v_forms = v_former then
    return;
  end if;
  if keeps_revision then
    perform app_hidden.keep_revision(v_post);
  end if;

  -- Keeps the job that deletes unused tags from a tag that no post has had until now.
  perform from app_public.tags where form = any (v_forms) order by id for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_forms) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names, v_forms) as new (name, form)
     where not exists (select from app_public.tags t where t.form = new.form)
     order by form
    on conflict do nothing;
  end if;

  if v_former <> '{}' then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where form = any (v_forms));
    set constraints app_public.post_tags_post_id_position_key deferred;
    update app_public.post_tags set position = wanted.place
      from unnest(v_forms) with ordinality as wanted (form, place)
      join app_public.tags on tags.form = wanted.form
     where post_tags.post_id = set_post_tags.post_id and tag_id = tags.id and position <> wanted.place;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_forms) with ordinality as wanted (form, place)
    join app_public.tags on tags.form = wanted.form
  on conflict on constraint post_tags_pkey do nothing;
  -- Readers see the tags. A post of this transaction is new anyway, and an imported one keeps its time.
  if v_post.created_at < transaction_timestamp() and not app_hidden.is_import() then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = v_post.id;
  end if;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[], boolean) is $$Replaces the tags of a post. keeps_revision keeps the former ones as a revision, if they differ; it is not for a new post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[], boolean) to :API_MEMBER;
--! EndIncluded functions/posts/set_post_tags.sql
--! Included functions/posts/first_posts_of_tag.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and for admins all others. So
-- no draft of another user is read and left out by a policy.
create or replace function app_hidden.first_post_ids_of_tag(
  tag_id bigint, page int, status app_public.post_status, after_listed_at timestamptz, after_id bigint
) returns setof bigint
language sql stable as $$
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and is_public and coalesce(first_post_ids_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
    order by listed_at desc, post_id desc limit page)
   union all
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and not is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
      and (select app_hidden.viewer_is_admin())
    order by listed_at desc, post_id desc limit page)
   union all
  (select private.id from app_public.posts as private
    where not private.is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
      and (private.listed_at, private.id) < (after_listed_at, after_id)
      and exists (select from app_public.post_tags where post_tags.post_id = private.id and post_tags.tag_id = first_post_ids_of_tag.tag_id)
    order by listed_at desc, id desc limit page)
$$;
comment on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The ids of the first posts of a tag, or more.$$;
grant execute on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_of_tag(
  tag_id bigint, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select * from app_hidden.first_post_ids_of_tag(first_posts_of_tag.tag_id, first_posts_of_tag.page, first_posts_of_tag.status, after_listed_at, after_id)))
     and (first_posts_of_tag.status is null or posts.status = first_posts_of_tag.status)
$$;
comment on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Tag.posts, or those of a status, or those after a place.$$;
grant execute on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_tagged(
  tag text, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select ids.* from app_public.tags,
              lateral app_hidden.first_post_ids_of_tag(tags.id, first_posts_tagged.page, first_posts_tagged.status, after_listed_at, after_id) as ids
        where tags.form = app_hidden.tag_form(first_posts_tagged.tag)))
     and (first_posts_tagged.status is null or posts.status = first_posts_tagged.status)
$$;
comment on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Query.posts with a tag.$$;
grant execute on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.post_ids_of_tag(tag text) returns setof bigint
language sql stable as $$
  select post_id from app_public.post_tags
   where tag_id = (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(post_ids_of_tag.tag))
$$;
comment on function app_hidden.post_ids_of_tag(text) is $$The ids of the posts with a tag. For the filter by tag.$$;
grant execute on function app_hidden.post_ids_of_tag(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/first_posts_of_tag.sql
--! Included functions/posts/posts_count.sql
-- The functions below are plpgsql with generic plans, so that a connection plans their statements once. PostgreSQL planned the same queries,
-- as bodies of SQL functions, for each call: custom plans look cheaper when they leave out an argument that is null.
--
-- Of the kept counts, the policies show those of published posts and, to admins, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_is_admin boolean := app_hidden.viewer_id() is not null and app_hidden.viewer_is_admin();
  v_count int;
begin
  -- Which private status a post has stands in no count.
  if v_is_admin and posts_count_of_tag.status <> 'PUBLISHED' then
    return (select count(*) from app_public.post_tags
              join app_public.posts on posts.id = post_id
             where post_tags.tag_id = posts_count_of_tag.tag_id
               and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status));
  end if;
  v_count := (select coalesce(sum(value), 0) from conventions.counter_shards
               where counter = 'post_tags.tag_id,is_public'
                 and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
                   or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null));
  if app_hidden.viewer_id() is null or v_is_admin then
    return v_count;
  end if;
  return v_count + (
    select count(*) from app_public.posts
     where not posts.is_public and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
       and author_id = (select app_hidden.viewer_id())
       and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id));
end $$;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
  if tag is not null and posts_count.author_id is not null then
    return (select count(*) from app_public.posts
             where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
               and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)));
  elsif tag is not null then
    return coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
                      where form = app_hidden.tag_form(posts_count.tag)), 0);
  elsif posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and to admins. After a comma comes a hyphen.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
               and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status));
  elsif app_hidden.viewer_id() is null then
    -- A plan is made for one role. With statements of their own, visitors and members keep their plans on a connection that serves both.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  elsif posts_count.status = 'PUBLISHED' then
    -- Members see the published posts that everybody sees.
    return (select coalesce(sum(value), 0) from conventions.counter_shards where counter = 'posts.status' and key = 'PUBLISHED'::app_public.post_status::text);
  elsif app_hidden.viewer_is_admin() then
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  else
    -- The published posts of everybody, and the others of the viewer. The policies show no other of these rows.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where (counter = 'posts.status'
                    or counter = 'posts.author_id,status' and key > app_hidden.viewer_id() || ',' and key < app_hidden.viewer_id() || '-'
                       and key <> app_hidden.viewer_id() || ',' || 'PUBLISHED'::app_public.post_status)
               and (posts_count.status is null or key in (posts_count.status::text, app_hidden.viewer_id() || ',' || posts_count.status)));
  end if;
end $$;
comment on function app_public.posts_count(app_public.post_status, bigint, text) is $$@describe status Count only posts with this status.
@describe author_id Count only posts of this user.
@describe tag Count only posts with this tag, in any case.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status, bigint, text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable
return app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status);
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable
return app_public.posts_count(users_posts_count.status, users.id);
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_count.sql

--! split: 400-search.sql
-- allow: rows-changed:app_private.jobs because the job finds the words of existing posts again
-- allow: change-behaviour:app_hidden.words_in because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_hidden.tg_posts__find_words because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.index_posts because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_hidden.find_posts because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search_result_title_html because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search_result_fragments_html because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.check_derived_data because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.repair_derived_data because the search has one form, and a bounded price: test/reading
-- allow: definer-function:app_hidden.find_posts because it returns ids of visible posts only, as before
-- allow: require-concurrent-index-creation:app_private.post_words because the new column is empty, so the index takes a moment
-- allow: require-concurrent-index-deletion:app_private.post_words_title_idx because the index that replaces it is here
-- Words of posts in the search form. Maintenance finds those of existing posts anew; until then, searches have the former words.
alter table app_private.post_words add column if not exists title_words tsvector;
comment on column app_private.post_words.title is $$Its title in the search form.$$;
comment on column app_private.post_words.title_words is $$The words of its title and similar ones; null until maintenance has found them.$$;
comment on column app_private.post_words.words is $$Its words in the search form: A and B those of the title, C and D those of the content. A and C are written so.$$;
comment on column app_private.post_words.language is $$How the words were found: app_hidden.word_form().$$;
create index if not exists post_words_title_words_idx on app_private.post_words using gin (title_words);
drop index if exists app_private.post_words_title_idx;
do $$
begin
  if not exists (select from pg_catalog.pg_attribute
                  where attrelid = (select typrelid from pg_catalog.pg_type where oid = 'app_public.search_result'::regtype) and attname = 'is_complete') then
    alter type app_public.search_result add attribute is_complete boolean;
  end if;
end $$;
comment on column app_public.search_result.rank is $$@notNull
1 and more for the words themselves, 1.5 and more where they are written as in the search, less for a similar title. Compare it within one search only.$$;
comment on column app_public.search_result.is_complete is $$@notNull
Whether the search has examined all posts that may match. Of very many, it examines some.$$;
drop function if exists app_hidden.find_posts(text, text, bigint);
--! Included functions/search/post_words.sql
create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- The number grows with the rules of conventions.search_letters(), so that maintenance finds all words anew.
create or replace function app_hidden.word_form() returns text
language sql stable parallel safe
return app_hidden.search_language()::text || ' 2';
comment on function app_hidden.word_form() is $$The language of the search and the number of its form: how the words of a post were found.$$;

-- A word is with exact as it is written, with folded in another form. What is written otherwise than its form is a further word.
-- A word of more than 2,046 bytes is left out, with a notice that nobody needs.
create or replace function app_hidden.weighed_words(text text, exact "char", folded "char") returns tsvector
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'warning' as $$
declare
  v_letters text := conventions.search_letters(text);
  v_exact_letters text := conventions.search_letters(text, keeps_accents => true);
  v_words tsvector := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_letters), 180000));
  v_compounds tsvector := setweight(to_tsvector(app_hidden.search_language(), conventions.search_compounds(v_letters)), folded);
  v_exact tsvector;
begin
  if v_letters = v_exact_letters then
    return setweight(v_words, exact) || v_compounds;
  end if;
  v_exact := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_exact_letters), 180000));
  return setweight(setweight(v_words, folded), exact, tsvector_to_array(v_exact)) || v_compounds
      || setweight(ts_delete(v_exact, tsvector_to_array(v_words)), exact);
end $$;
comment on function app_hidden.weighed_words(text, "char", "char") is $$The words of a text in the search form, with a weight for those that are written so and one for all others.$$;
grant execute on function app_hidden.weighed_words(text, "char", "char") to :API_ANONYMOUS, :API_MEMBER;

-- A headline counts more than the text: A and B are its words, C and D those of the content.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language sql stable parallel safe
return app_hidden.weighed_words(title, 'A', 'B') || app_hidden.weighed_words(app_hidden.plain_text(content), 'C', 'D');
comment on function app_hidden.words_in(text, text) is $$The words of a post, as the search finds them.$$;

-- Two words are similar if they are equal without one letter of either, or of both: a letter is missing, too many, another one, or two have
-- changed places. An index of these finds similar words by equality, so PostgreSQL looks at no other row. The first letter of a short word stays.
create or replace function app_hidden.similar_words(word text) returns text[]
language sql immutable parallel safe
return array[word] || case when char_length(word) between 4 and 30 and word !~ ('[' || conventions.unspaced_scripts() || ']') then array(
  select left(word, place - 1) || substr(word, place + 1)
    from generate_series(case when char_length(word) < 6 then 2 else 1 end, char_length(word)) as place) end;
comment on function app_hidden.similar_words(text) is $$The word, and the word without each of its letters.$$;

create or replace function app_hidden.title_words(form text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select distinct variant from string_to_table(form, ' ') as word, unnest(app_hidden.similar_words(word)) as variant where variant <> ''));
comment on function app_hidden.title_words(text) is $$The words of a title in the search form, and the words that are similar.$$;

-- The four longest words: each has some twenty places in the index. A long word may also end in another way.
create or replace function app_hidden.similar_query(form text) returns tsquery
language sql immutable parallel safe
return (
  select string_agg('(' || variants || ')', ' & ')::tsquery
    from (select (select string_agg(quote_literal(w), ' | ') from unnest(app_hidden.similar_words(word)) as w)
              || case when char_length(word) >= 6 then ' | ' || quote_literal(left(word, ceil(char_length(word) * 0.7)::int)) || ':*' else '' end as variants
            from (select distinct word, char_length(word) as length from string_to_table(form, ' ') as word
                   where char_length(word) > 2 or word ~ ('^[' || conventions.unspaced_scripts() || ']{2}$')
                   order by length desc, word limit 4) as words) as words);
comment on function app_hidden.similar_query(text) is $$Finds titles with words that are similar to the longest of these, or begin alike. Null without a word of three letters.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_title text;
begin
  if tg_op = 'INSERT' then
    v_title := conventions.search_form(new.title);
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    values (new.id, new.author_id, new.is_public, new.listed_at, v_title, app_hidden.title_words(v_title), app_hidden.words_in(new.title, new.content),
            app_hidden.word_form());
  elsif (new.title, new.content) is distinct from (old.title, old.content) then
    v_title := conventions.search_form(new.title);
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at, title = v_title, title_words = app_hidden.title_words(v_title),
           words = app_hidden.words_in(new.title, new.content), language = app_hidden.word_form()
     where post_id = new.id;
  elsif (new.author_id, new.is_public, new.listed_at) is distinct from (old.author_id, old.is_public, old.listed_at) then
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at
     where post_id = new.id;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__find_words() is $$After a post is written: keeps its words for the search.$$;

-- One post after another, for a second at most: the words of a long text take a tenth of one.
create or replace function app_private.index_posts(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_form text := app_hidden.word_form();
  v_lowest bigint := (select coalesce(min(post_id), 9223372036854775807) from app_private.post_words);
  v_post app_public.posts;
begin
  rows := 0;
  is_complete := false;
  -- A lock on each post, so that nobody changes it meanwhile.
  for v_post in select * from app_public.posts where id < v_lowest order by id desc limit batch for share loop
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    select v_post.id, v_post.author_id, v_post.is_public, v_post.listed_at, title, app_hidden.title_words(title),
           app_hidden.words_in(v_post.title, v_post.content), v_form
      from conventions.search_form(v_post.title) as title;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  for v_post in
    select posts.*
      from (select former.post_id from app_private.post_words former where former.language < v_form
             union all
            select former.post_id from app_private.post_words former where former.language > v_form) as former
      join app_public.posts on posts.id = former.post_id
     limit batch for no key update of posts skip locked
  loop
    update app_private.post_words set title = form, title_words = app_hidden.title_words(form),
           words = app_hidden.words_in(v_post.title, v_post.content), language = v_form
      from conventions.search_form(v_post.title) as form
     where post_id = v_post.id;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  is_complete := true;
end $$;
comment on function app_private.index_posts(int) is $$A job: finds the words of up to batch posts that have none, or those of another language or form. A batch takes about a second at most.$$;
--! EndIncluded functions/search/post_words.sql
--! Included functions/search/search.sql
-- An "and" or a phrase compares each place of a word with each place of every other, also when a headline looks for it: a text written for it
-- takes a second. Of single words, each place is looked at once.
create or replace function app_hidden.any_word(query tsquery) returns tsquery
language sql immutable parallel safe
return (select string_agg(distinct word[1], ' | ')::tsquery from regexp_matches(querytree(query), $re$'(?:[^']|'')*'(?::\*)?$re$, 'g') as word);
comment on function app_hidden.any_word(tsquery) is $$Finds what has any of the words, each of which is named once.$$;
grant execute on function app_hidden.any_word(tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The index knows no order of words. Without phrases, and what is to be left out beside them, PostgreSQL checks no row again.
create or replace function app_hidden.indexed_query(query tsquery) returns tsquery
language sql immutable parallel safe
return case when query::text ~ '<(?:-|\d+)>' then regexp_replace(querytree(query), '<(?:-|\d+)>', '&', 'g')::tsquery else query end;
comment on function app_hidden.indexed_query(tsquery) is $$What the index of words finds: all that the query finds, and maybe more.$$;

-- In plpgsql, which keeps what it has parsed. Rows are read until enough have the words.
create or replace function app_hidden.newest_with(query tsquery, is_public boolean, author_id bigint, tag_id bigint, examined int, wanted int) returns bigint[]
language plpgsql stable as $$
#variable_conflict use_column
begin
  if newest_with.tag_id is null then
    return array(
      select newest.post_id
        from (select w.post_id, w.words, w.listed_at from app_private.post_words w
               where w.is_public = newest_with.is_public and (newest_with.author_id is null or w.author_id = newest_with.author_id)
               order by w.listed_at desc, w.post_id desc limit examined) as newest
       where newest.words @@ query order by newest.listed_at desc, newest.post_id desc limit wanted);
  end if;
  return array(
    select newest.post_id
      from (select t.post_id, t.listed_at from app_public.post_tags t
             where t.tag_id = newest_with.tag_id and t.is_public = newest_with.is_public
             order by t.listed_at desc, t.post_id desc limit examined) as newest
      join app_private.post_words w on w.post_id = newest.post_id and w.is_public = newest_with.is_public
     where w.words @@ query and (newest_with.author_id is null or w.author_id = newest_with.author_id)
     order by newest.listed_at desc, newest.post_id desc limit wanted);
end $$;
comment on function app_hidden.newest_with(tsquery, boolean, bigint, bigint, int, int) is $$The newest posts of a kind, of an author and with a tag, if they are given, that have the words: up to a number of them, of a number of posts that are examined.$$;

create or replace function app_hidden.has_more(is_public boolean, author_id bigint, tag_id bigint, examined int) returns boolean
language plpgsql stable as $$
#variable_conflict use_column
begin
  if has_more.tag_id is null then
    return exists (select from app_private.post_words w
      where w.is_public = has_more.is_public and (has_more.author_id is null or w.author_id = has_more.author_id) offset examined);
  end if;
  return exists (select from app_public.post_tags t where t.tag_id = has_more.tag_id and t.is_public = has_more.is_public offset examined);
end $$;
comment on function app_hidden.has_more(boolean, bigint, bigint, int) is $$Whether there are more posts of a kind, of an author or with a tag, than newest_with() examines.$$;

-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, and the viewer's own others, for
-- admins all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- Rows are examined in bounded numbers. Words that five of the newest 100 posts have are looked for in the newest 5,000, and all words in the
-- viewer's own. All others are found by the index of words, 10,000 at most; where there are more, in the newest 5,000 as well. The newest 200
-- that have the words are ranked. Similar titles are found by an index that needs no second look at the title, 5,000 at most.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8, is_complete boolean)
language plpgsql stable security definer rows 200
set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_custom_plan' set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_text text := conventions.normal_text(find_posts.text, 200, true);
  v_form text;
  v_exact tsquery;
  v_is_plain boolean;
  v_is_frequent boolean;
  v_query tsquery;
  v_indexed tsquery;
  v_any tsquery;
  v_written tsquery;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_is_admin boolean := app_hidden.viewer_is_admin();
  v_kinds boolean[];
  v_is_public boolean;
  v_whose bigint;
  v_ids bigint[];
  v_found bigint[];
  v_ranks float8[];
  v_similar bigint[] := '{}';
  v_titles text[] := '{}';
  v_is_complete boolean;
begin
  perform conventions.raise_validation_errors(case
    when char_length(v_text) > 200 then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'TOO_LONG', 'message', 'A text to search for has at most 200 characters.', 'params', '{"max": 200}'::jsonb))
    when conventions.text_error(v_text, false) is not null
      then jsonb_build_array(conventions.text_error(v_text, false) || '{"column": "text"}')
    when v_text !~ '\S' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'BLANK', 'message', 'A text to search for needs a character other than white space.'))
    else '[]' end);
  if find_posts.tag is not null then
    v_tag := (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_exact := app_hidden.read_query(v_text);
  v_is_plain := app_hidden.is_plain_search(v_text);
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_exact) in ('', 'T') then
    return;
  end if;
  v_kinds := case when v_is_admin or v_viewer is not null and (find_posts.author_id is null or find_posts.author_id = v_viewer)
                  then '{t,f}' else '{t}' end;

  -- An unfinished word only where few posts have it as it is.
  for v_round in 1..2 loop
    v_query := case when v_round = 1 then v_exact else app_hidden.read_query(v_text, is_unfinished => true) end;
    v_found := '{}';
    v_ranks := '{}';
    v_is_complete := true;
    v_indexed := app_hidden.indexed_query(v_query);
    v_any := app_hidden.any_word(v_exact || v_query);
    -- The text has no accents where it is ASCII.
    v_written := regexp_replace(case when octet_length(v_text) = char_length(v_text) then v_query
                                     else app_hidden.read_query(v_text, v_round = 2, keeps_accents => true) end::text,
      '(''(?:[^'']|'''')*'')(?::(\*))?', '\1:\2AC', 'g');
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_is_admin then find_posts.author_id else v_viewer end;
      v_is_frequent := not v_is_public and v_whose is not null or 5 <= cardinality(app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 100, 5));
      if not v_is_frequent then
        with indexed as materialized (
          select w.post_id, w.author_id, w.listed_at from app_private.post_words w where w.is_public = v_is_public and w.words @@ v_indexed limit 10001)
        select (select count(*) > 10000 from indexed), array(
            select i.post_id from indexed i
             where (v_whose is null or i.author_id = v_whose)
               and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
             order by i.listed_at desc, i.post_id desc limit case when v_query::text = v_indexed::text then 200 end)
          into v_is_frequent, v_ids;
      end if;
      if v_is_frequent then
        v_ids := app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 5000, 200);
        v_is_complete := v_is_complete and (cardinality(v_ids) = 200 or not app_hidden.has_more(v_is_public, v_whose, v_tag, 5000));
      end if;
      select v_found || coalesce(array_agg(c.post_id), '{}'),
             v_ranks || coalesce(array_agg(round((1 + case when c.words @@ v_written then 0.5 else 0 end
               + ts_rank('{0.1, 0.1, 1, 1}', c.words, v_any, 1 | 32) / 2)::numeric, 4)::float8), '{}')
        into v_found, v_ranks
        from (select w.post_id, w.words from app_private.post_words w
               where w.post_id = any (v_ids) and w.is_public = v_is_public and (v_query::text = v_indexed::text or w.words @@ v_query)
               order by w.listed_at desc, w.post_id desc limit 200) as c;
    end loop;
    exit when cardinality(v_found) >= 10 or not v_is_plain;
  end loop;

  -- Too little: titles with spelling mistakes, or with another form of the words. Not with operators: a title would be similar to a word that
  -- is to be left out.
  if cardinality(v_found) < 10 and v_is_plain then
    v_form := conventions.search_form(v_text);
    -- Each word once, since a repeated one takes as long again.
    v_form := (select string_agg(distinct word, ' ') from string_to_table(v_form, ' ') as word);
    v_query := app_hidden.similar_query(v_form);
    v_kinds := case when v_query is not null then v_kinds else '{}' end;
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_is_admin then find_posts.author_id else v_viewer end;
      with indexed as materialized (
        select w.post_id, w.author_id, w.listed_at, w.title from app_private.post_words w
         where w.is_public = v_is_public and (v_is_public or v_whose is null or w.author_id = v_whose) and w.title_words @@ v_query limit 5001)
      select v_is_complete and (select count(*) <= 5000 from indexed),
             v_similar || coalesce(array_agg(c.post_id), '{}'), v_titles || coalesce(array_agg(c.title), '{}') into v_is_complete, v_similar, v_titles
        from (select i.post_id, i.title from indexed i
               where (v_whose is null or i.author_id = v_whose) and i.post_id <> all (v_found)
                 and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
               order by i.listed_at desc, i.post_id desc limit 500) as c;
    end loop;
  end if;
  return query select found.*, v_is_complete from unnest(v_found, v_ranks) as found;
  -- A word similarity is from 0 to 1. pg_trgm knows the letters of the database's locale only: titles in others are all as similar.
  return query
  select alike.post_id, round((0.5 + app_hidden.word_similarity(v_form, alike.title) * 0.499)::numeric, 4)::float8 as rank, v_is_complete
    from unnest(v_similar, v_titles) as alike (post_id, title) order by rank desc, alike.post_id desc limit 200;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2: from 1.5 on, the words are written as they are asked for. If there are fewer than 10, also those with a word that begins with the last one, and those with a similar title, with ranks below 1. is_complete is false where more posts would have to be examined.$$;
grant execute on function app_hidden.find_posts(text, text, bigint) to :API_ANONYMOUS, :API_MEMBER;

-- The policies are asked for the rows of a page only, in their order.
create or replace function app_public.search(
  text text, tag text default null, author_id bigint default null, page int default null
) returns setof app_public.search_result
language sql stable as $$
  select found.post_id, found.rank, search.text, found.is_complete
    from (select * from app_hidden.find_posts(search.text, search.tag, search.author_id) order by rank desc, post_id desc limit search.page) as found
   where exists (select from app_public.posts where posts.id = found.post_id offset 0)
   order by found.rank desc, found.post_id desc
$$;
comment on function app_public.search(text, text, bigint, int) is $$@behavior -queryField:resource:list
@pageArgument page
@costlyText text
@listOrder rank desc, post_id desc
@describe text At most 200 characters. All words have to be found, in any order; "in quotes" one after the other; with or between them either; with - before it, a word is excluded.
@describe tag Search only posts with this tag, in any case, with or without accents.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first, in any case, with or without accents. Words that are written as in the text come first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, the last word may be unfinished, and posts with a similar title follow.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.asked_words(text text) returns tsquery
language sql stable parallel safe
return app_hidden.any_word(app_hidden.read_query(conventions.normal_text(text, 200, true), is_unfinished => true));
comment on function app_hidden.asked_words(text) is $$Finds what has any word of a search.$$;
grant execute on function app_hidden.asked_words(text) to :API_ANONYMOUS, :API_MEMBER;

-- A word with joints is marked as a whole if it was asked for in one, else its parts are. A character of a script without spaces is a piece.
create or replace function app_hidden.marked_pieces(text text, query tsquery)
returns table (place bigint, piece text, is_marked boolean, html text)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'error' as $$
#variable_conflict use_column
declare
  v_language regconfig := app_hidden.search_language();
  v_script text := conventions.unspaced_scripts();
  v_others text := '\s!-#$-/:-@[-^`{-~\u00A0-\u00A9\u00AB-\u00B1\u00B4\u00B6\u00B8\u00BB\u00BF\u2010-\u2027\u2030-\u205E\u3001-\u3004\u3008-\u3020'
    '\uFF01-\uFF0F\uFF1A-\uFF20\u060C\u061B\u061F';
  v_joints text := '[-_.&,''’‐‑]';
  v_word text := '[^' || v_others || v_script || ']+';
  v_terms text[] := array(select term[1] from regexp_matches(query::text, '''([^'']+)''', 'g') as term);
begin
  return query
  with pieces as materialized (
    select pieces.place, pieces.piece[1] as piece, piece[1] ~ ('^[' || v_script || ']$') as is_character, piece[1] !~ ('^[' || v_others || ']+$') as is_word
      from regexp_matches(marked_pieces.text, '[' || v_script || ']|' || v_word || '(?:' || v_joints || v_word || ')*(?:\+\+|#)?|[' || v_others || ']+|.', 'g')
           with ordinality as pieces (piece, place)
  ), compared as (
    select p.*,
           case when is_character then
             conventions.search_letters(p.piece) = any (v_terms)
             or conventions.search_letters(p.piece || coalesce(lead(p.piece) over places, '')) = any (v_terms)
             or conventions.search_letters(coalesce(lag(p.piece) over places, '') || p.piece) = any (v_terms)
           when is_word then
             to_tsvector(v_language, case when p.piece ~ v_joints
               then (regexp_match(conventions.search_compounds(conventions.search_letters(p.piece)), '^\S+'))[1]
               else conventions.search_form(p.piece) end) @@ query
           end is true as is_whole
      from pieces p window places as (order by p.place)
  )
  select c.place, c.piece, c.is_whole or part.is_marked is true,
         case when c.is_whole then '<mark>' || app_hidden.html_text(c.piece) || '</mark>' else coalesce(part.html, app_hidden.html_text(c.piece)) end
    from compared c
    left join lateral (
      select bool_or(words @@ query) as is_marked,
             string_agg(case when words @@ query then '<mark>' || app_hidden.html_text(m[1]) || '</mark>' else app_hidden.html_text(m[1]) end, '' order by n) as html
        from regexp_matches(c.piece, '[-_.&,''’‐‑]|[^-_.&,''’‐‑]+', 'g') with ordinality as parts (m, n),
             lateral to_tsvector(v_language, conventions.search_form(m[1])) as words
       where c.is_word and not c.is_whole and c.piece ~ v_joints) as part on true
   order by c.place;
end $$;
comment on function app_hidden.marked_pieces(text, tsquery) is $$The words of a text, and what is between them, as HTML that is safe to show: those that the query finds are in <mark>.$$;
grant execute on function app_hidden.marked_pieces(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The cost is such that PostgreSQL marks the words of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select replace(string_agg(html, '' order by place), '</mark><mark>', '')
    from app_public.posts, lateral app_hidden.marked_pieces(title, app_hidden.asked_words(search_result.text))
   where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
@behavior -queryField
The title, as HTML that is safe to show: matches in <mark>, the rest escaped.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- Of the first 20,000 characters, the 1,200 with most of the words asked for. A fragment has some words before a match and more behind it. It
-- begins and ends where a word does, or between two characters of a script without spaces.
create or replace function app_hidden.fragments_html(content text, query tsquery) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := app_hidden.plain_text(left(content, 20000));
  v_start int;
  v_pieces text[];
  v_marked boolean[];
  v_begins int[];
  -- Whether a fragment may begin with this piece, or end before it.
  v_breaks boolean[];
  v_count int;
  v_match int;
  v_from int;
  v_until int := 0;
  v_html text := '';
begin
  v_start := (
    select start
      from generate_series(1, greatest(char_length(v_text), 1), 1000) as start,
           lateral app_hidden.weighed_words(substr(v_text, start, 1200), 'D', 'D') as words
     order by (select count(*) from regexp_matches(query::text, '''(?:[^'']|'''')*''(?::\*)?', 'g') as term where words @@ term[1]::tsquery) desc, start
     limit 1);
  select array_agg(pieces.html order by place), array_agg(is_marked order by place), array_agg(pieces.begins order by place),
         array_agg(coalesce(pieces.is_break, v_start = 1) order by place) || (v_start + 1200 > char_length(v_text)), count(*)
    into v_pieces, v_marked, v_begins, v_breaks, v_count
    from (select p.*, sum(char_length(piece)) over places - char_length(piece) as begins,
                 lag(piece) over places ~ '\s$'
                 or place > 1 and piece ~ ('^[' || conventions.unspaced_scripts() || ']')
                    and piece !~ '^[\u0E31-\u0E3A\u0E47-\u0E4E\u0EB1-\u0EBC\u0EC8-\u0ECE\u102B-\u103E\u17B4-\u17D3\u3099\u309A\u30FC]' as is_break
            from app_hidden.marked_pieces(substr(v_text, v_start, 1200), query) p window places as (order by place)) as pieces;
  for v_round in 1..2 loop
    v_match := (select min(n) from generate_series(v_until + 1, v_count) as n where v_marked[n]);
    exit when v_match is null;
    v_from := v_match;
    while v_from > v_until + 1 and (v_begins[v_from - 1] >= v_begins[v_match] - 50 or not v_breaks[v_from]) loop
      v_from := v_from - 1;
    end loop;
    while v_from < v_match and not v_breaks[v_from] and v_from > v_until + 1 loop
      v_from := v_from + 1;
    end loop;
    v_html := v_html || case when v_from > v_until + 1 or v_round = 1 and v_start > 1 then ' … ' else '' end;
    v_until := v_match;
    while v_until < v_count and (v_begins[v_until + 1] < v_begins[v_match] + 140 or not v_breaks[v_until + 1]) loop
      v_until := v_until + 1;
    end loop;
    while v_until > v_match and not v_breaks[v_until + 1] loop
      v_until := v_until - 1;
    end loop;
    v_html := v_html || array_to_string(v_pieces[v_from:v_until], '');
  end loop;
  if v_html = '' then
    return app_hidden.html_text(app_hidden.start_of(v_text));
  end if;
  return replace(btrim(v_html), '</mark><mark>', '')
    || case when v_until < v_count or v_start + 1200 <= char_length(v_text) or char_length(content) > 20000 then ' …' else '' end;
end $$;
comment on function app_hidden.fragments_html(text, tsquery) is $$The parts of a text around what the query finds, as HTML that is safe to show.$$;
grant execute on function app_hidden.fragments_html(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (select app_hidden.fragments_html(content, app_hidden.asked_words(search_result.text)) from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
@behavior -queryField
The content around matches, as HTML that is safe to show: matches in <mark>, the rest escaped. Without marks of Markdown, and with … where text is left out. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search/search.sql
drop function if exists app_hidden.similar_text(text);
drop function if exists app_hidden.search_query(text, boolean);
drop function if exists app_hidden.unfinished(tsquery);
--! Included functions/upkeep/check_derived_data.sql
create or replace function app_private.inherited_columns()
returns table (name name, relation regclass, parent regclass, key_is_equal text, copies_differ text, assignments text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select conname, conrelid::regclass, confrelid::regclass,
         string_agg(format('child.%I = parent.%I', ours.attname, theirs.attname), ' and ') filter (where ordinality = 1),
         string_agg(format('child.%I is distinct from parent.%I', ours.attname, theirs.attname), ' or ' order by ordinality) filter (where ordinality > 1),
         string_agg(format('%I = parent.%I', ours.attname, theirs.attname), ', ' order by ordinality) filter (where ordinality > 1)
    from pg_catalog.pg_constraint
   cross join lateral unnest(conkey, confkey) with ordinality as columns (our_number, their_number, ordinality)
    join pg_catalog.pg_attribute ours on ours.attrelid = conrelid and ours.attnum = our_number
    join pg_catalog.pg_attribute theirs on theirs.attrelid = confrelid and theirs.attnum = their_number
   where contype = 'f' and conname like '%\_inherited\_fkey' and conparentid = 0
   group by conname, conrelid, confrelid
$$;
comment on function app_private.inherited_columns() is $$The copies of another row’s columns, by foreign key, with the parts of the statements that check and repair them.$$;

create or replace function app_private.check_derived_data() returns table (derived text, row_key text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
begin
  for v_copy in select * from app_private.inherited_columns() order by 1 loop
    return query execute format('select $1, to_jsonb(child)::text from %s as child join %s as parent on %s where %s',
      v_copy.relation, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) using v_copy.name::text;
  end loop;
  return query
  select 'tags_public_post_fkey', to_jsonb(tags)::text from app_public.tags
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  return query
  select 'conventions.counter_shards', c.counter || ' ' || c.key from conventions.check_counters() c;
  return query
  select 'app_private.post_words', coalesce(posts.id, w.post_id)::text
    from app_public.posts
    full join app_private.post_words w on w.post_id = posts.id
   where (w.author_id, w.is_public, w.listed_at, w.title) is distinct from
         (posts.author_id, posts.is_public, posts.listed_at, case when w.language = app_hidden.word_form() then conventions.search_form(posts.title) else w.title end)
      -- Words of another language or form are found anew by a job.
      or w.language = app_hidden.word_form() and (w.words, w.title_words) is distinct from (app_hidden.words_in(posts.title, posts.content), app_hidden.title_words(w.title));
end $$;
comment on function app_private.check_derived_data() is $$Derived data that differs from the rows that it is derived from: none. Inherited visibility, counts and search terms. Reads all rows. For DBAs and tests.$$;

create or replace function app_private.repair_derived_data() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
  v_count bigint;
begin
  -- A repaired row is the parent of others, until nothing is left.
  loop
    v_count := 0;
    for v_copy in select * from app_private.inherited_columns() loop
      execute format('with repaired as (update %s as child set %s from %s as parent where %s and (%s) returning 1) select $1 + count(*) from repaired',
        v_copy.relation, v_copy.assignments, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) into v_count using v_count;
    end loop;
    exit when v_count = 0;
  end loop;
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  perform conventions.repair_counters();
  delete from app_private.post_words where post_id in (
    select row_key::bigint from app_private.check_derived_data() where derived = 'app_private.post_words');
  insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
  select id, author_id, is_public, listed_at, form, app_hidden.title_words(form), app_hidden.words_in(title, content), app_hidden.word_form()
    from app_public.posts, lateral conventions.search_form(title) as form where not exists (select from app_private.post_words where post_id = posts.id);
end $$;
comment on function app_private.repair_derived_data() is $$Makes all that check_derived_data() checks agree with the rows that it is derived from, in one transaction. After rows were written without triggers, as by a restore of data alone. For DBAs.$$;
--! EndIncluded functions/upkeep/check_derived_data.sql
update app_private.jobs set is_complete = false where name = 'search_terms';
