--! Previous: sha1:d51bca10deedf265d449438528be77ea8d907fbe
--! Hash: sha1:dae3f3215e962584cc939bc2c2c97e6927b76923
--! Message: words are found sooner

--! split: 100-words-and-slugs.sql

-- allow: change-behaviour:conventions.search_letters because it returns the same, sooner
-- allow: change-behaviour:conventions.search_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.slug_words because it returns the same
-- allow: change-behaviour:app_hidden.plain_text because it returns the same, sooner
-- allow: change-behaviour:app_hidden.title_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.free_slug because one statement may publish any number of posts
-- allow: change-behaviour:app_hidden.slug_after_trash because it waits for the lock of free_slug()
-- The words of posts are found sooner, above all of texts with Markdown or typographic quotes; the same words. One statement may publish any number of posts.
--! Included functions/posts/slugify.sql
-- An explicit list, because [[:alnum:]] and \w depend on the database's locale: all but letters, digits and marks, as far as
-- plane 0 goes, and the symbols, tags and private characters of the others.
create or replace function app_hidden.slug_gaps() returns text
language sql immutable parallel safe
return
  '\u0000-\u001F\u0021-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
  '\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482'
  '\u055A-\u055F\u0589-\u058F\u05BE\u05C0\u05C3\u05C6\u05F3-\u060F\u061B-\u061F\u066A-\u066D\u06D4\u06DD-\u06DE'
  '\u06E9\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF\u0830-\u083E\u085E\u0888\u0890-\u0891\u08E2'
  '\u0964-\u0965\u0970\u09F2-\u09FB\u09FD\u0A76\u0AF0-\u0AF1\u0B70\u0BF3-\u0BFA\u0C77-\u0C7F\u0C84\u0D4F\u0D79'
  '\u0DF4\u0E3F\u0E4F\u0E5A-\u0E5B\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5'
  '\u0FC7-\u0FDA\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680\u169B-\u169C'
  '\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u180E\u1940-\u1945\u19DE-\u19FF\u1A1E-\u1A1F'
  '\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B5A-\u1B6A\u1B74-\u1B7E\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3'
  '\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u2101\u2103-\u2106\u2108-\u2109\u2114'
  '\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A-\u213B\u2140-\u2144\u214A-\u214D\u214F\u218A-\u2BFF'
  '\u2CE5-\u2CEA\u2CF9-\u2CFF\u2D70\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F'
  '\u309B-\u309C\u30A0\u30FB\u3190-\u319F\u31C0-\u31E3\u3200-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA4FE-\uA4FF'
  '\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA716\uA720-\uA721\uA789-\uA78A\uA828-\uA82B\uA836-\uA839\uA874-\uA877'
  '\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79'
  '\uAADE-\uAADF\uAAF0-\uAAF1\uAB5B\uAB6A-\uAB6B\uABEB\uD800-\uF8FF\uFB29\uFBB2-\uFBC2\uFD3E-\uFD4F\uFDCF-\uFDEF'
  '\uFDFC-\uFDFF\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFF'
  '\U0001D000-\U0001D164\U0001F000-\U0001FAFF\U000E0000-\U000E00FF\U000F0000-\U0010FFFF';
comment on function app_hidden.slug_gaps() is $$The characters that divide words, for a bracket expression: all but the space, letters, digits and marks.$$;
grant execute on function app_hidden.slug_gaps() to :API_ANONYMOUS, :API_MEMBER;

-- Not SQL: PostgreSQL would plan a check that calls it for each statement.
create or replace function app_hidden.slug_words(value text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  -- Almost always, and much quicker.
  if value ~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    return value;
  end if;
  if octet_length(value) = char_length(value) then
    return trim(both '-' from regexp_replace(lower(value collate "C"), '[^a-z0-9]+', '-', 'g'));
  end if;
  return trim(both '-' from regexp_replace(lower(value collate "C"), '[ ' || app_hidden.slug_gaps() || ']+', '-', 'g'));
end $$;
comment on function app_hidden.slug_words(text) is $$The words of a text, with single hyphens between them. ASCII letters are in lower case. A valid slug is its own result.$$;
grant execute on function app_hidden.slug_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.slugify(title text) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text := app_hidden.slug_words(normalize(lower(app_hidden.unaccent('app_hidden.unaccent', left(title, 200))), NFC));
begin
  -- A title without letters and digits, such as an emoji, needs a slug, too.
  return coalesce(nullif(rtrim(case when conventions.bounded_text(v_words, null) then left(v_words, 80) end, '-'), ''), 'post');
end $$;
comment on function app_hidden.slugify(text) is $$The title as lower-case letters and digits of any script, without Latin accents, and hyphens, at most 80 characters: “Crème brûlée!” becomes creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/posts/slugify.sql
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
    if strpos(v_text, '>') > 0 then
      v_text := regexp_replace(v_text, '^[ \t]*(?:>[ \t]?)+', '', 'gn');
    end if;
    v_text := regexp_replace(v_text, '^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?', '', 'gn');
    if strpos(v_text, '#') > 0 then
      v_text := regexp_replace(v_text, '^[ \t]*#{1,6}(?:[ \t]+|$)|[ \t]+#+[ \t]*$', '', 'gn');
    end if;
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
    if strpos(v_text, '`') > 0 then
      v_text := regexp_replace(v_text, '`+([^`]+)`+', '\1', 'g');
    end if;
    if strpos(v_text, '*') > 0 then
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
    end if;
    if strpos(v_text, '_') > 0 then
      v_text := regexp_replace(v_text, '(^|[\s(\[{"''>*~.,;:!?“‘„«¿¡—–-])_{1,3}([^\s_](?:[^\n_]*[^\s_])?)_{1,3}(?![a-zA-Z0-9_\u00C0-\u024F])', '\1\2', 'g');
    end if;
    if strpos(v_text, '~') > 0 then
      v_text := regexp_replace(v_text, '~~([^~\n]+)~~', '\1', 'g');
    end if;
    if strpos(v_text, '&') > 0 then
      v_text := replace(replace(replace(replace(replace(replace(v_text, '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&');
    end if;
    if strpos(markdown, '\') > 0 then
      v_text := translate(v_text, U&'\F702\F703\F704\F705\F706\F707\F708\F709\F70A\F70B\F70C\F70D', '*_[]<`#\~|&!');
    end if;
  end if;
  -- To look whether anything is replaced takes a tenth of the time of replacing each space by a space.
  if v_text ~ '[\t-\r\u001C-\u001F\u0080-\uFFFF]|  ' then
    v_text := regexp_replace(v_text, '[\s\u0085\u00A0\u2028\u2029]+', ' ', 'g');
  end if;
  return btrim(v_text, ' ');
end $$;
comment on function app_hidden.plain_text(text) is $$A text without the marks of CommonMark and HTML: of links and pictures their text, of code its lines. White space is one space.$$;
grant execute on function app_hidden.plain_text(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_plain_text(posts app_public.posts) returns text
language sql stable cost 1000 as $$
  select app_hidden.plain_text(posts.content)
$$;
comment on function app_public.posts_plain_text(app_public.posts) is $$@notNull
The content without the marks of Markdown and HTML, in one line: for previews, feeds and search engines.$$;
grant execute on function app_public.posts_plain_text(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/plain_text.sql
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
    v_text := left(normalize(regexp_replace(regexp_replace(regexp_replace(given,
      '[’‘‛ʼʻ‵′´ʹʾʿ׳״]', '''', 'g'), '[™®©℠…]', ' ', 'g'), '[‐‑−–·־֊‧]', '-', 'g'), NFKD), 180000);
    if not keeps_accents then
      v_text := regexp_replace(v_text, '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC'
        '\u06DF-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u093C\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+', '', 'g');
    end if;
    -- Most texts with Latin letters have none of these now. translate() is slow, and PostgreSQL keeps 32 compiled expressions.
    if v_text ~ '[\u00C0-\u02FF\u0370-\u1FFF\u2C60-\u2C7F]' then
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
      if v_text ~ '[٠-٩۰-۹०-९০-৯]' then
        v_text := translate(v_text, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯', '0123456789012345678901234567890123456789');
      end if;
    end if;
    v_text := normalize(v_text, NFC);
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
  v_text text := replace(letters, '''', '');
begin
  -- A single space stays: to replace each takes as long as to_tsvector().
  if octet_length(v_text) = char_length(v_text) then
    return btrim(regexp_replace(v_text, '[^a-z0-9]{2,}|[^a-z0-9 ]', ' ', 'g'), ' ');
  end if;
  v_text := btrim(regexp_replace(v_text, '[ ' || app_hidden.slug_gaps() || ']{2,}|[' || app_hidden.slug_gaps() || ']', ' ', 'g'), ' ');
  if v_text !~ ('[' || conventions.unspaced_scripts() || ']') then
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
language plpgsql immutable parallel safe strict set search_path = pg_catalog, pg_temp as $$
begin
  if letters !~ '[a-z0-9\u0080-\U0010FFFF][-_.&'',][a-z0-9\u0080-\U0010FFFF]' then
    return '';
  end if;
  return (select conventions.search_words(coalesce(string_agg(translate(word[1], '-_.&,''', '') || case when word[1] ~ '''' then ' ' || replace(word[1], '''', ' ') else '' end, ' '), ''))
            from regexp_matches(letters, '[0-9]+(?:,[0-9]{3})+|[a-z0-9\u0080-\U0010FFFF]+(?:[-_.&''][a-z0-9\u0080-\U0010FFFF]+)+', 'g') as word where char_length(word[1]) <= 60);
end $$;
comment on function conventions.search_compounds(text) is $$Further words of what conventions.search_letters() returns: those of a compound in one, and what an apostrophe divides. “anne-marie o'neil” has annemarie, oneil, o and neil.$$;
grant execute on function conventions.search_compounds(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/search_form.sql
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
--
-- In PL/pgSQL, which plans once in a session: PostgreSQL 15 to 17 plan a function in SQL for each statement.
create or replace function app_hidden.similar_words(word text) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := array[word];
begin
  if char_length(word) between 4 and 30 and (octet_length(word) = char_length(word) or word !~ ('[' || conventions.unspaced_scripts() || ']')) then
    for v_place in case when char_length(word) < 6 then 2 else 1 end .. char_length(word) loop
      v_words := v_words || (left(word, v_place - 1) || substr(word, v_place + 1));
    end loop;
  end if;
  return v_words;
end $$;
comment on function app_hidden.similar_words(text) is $$The word, and the word without each of its letters.$$;

create or replace function app_hidden.title_words(form text) returns tsvector
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := '{}';
  v_word text;
begin
  foreach v_word in array string_to_array(form, ' ') loop
    v_words := v_words || app_hidden.similar_words(v_word);
  end loop;
  return array_to_tsvector(array_remove(v_words, ''));
end $$;
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

-- Among the rows that a search looks at, a post in the trash would take the place of another one.
create or replace function app_hidden.post_to_search(post app_public.posts) returns app_public.posts
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if post.status = 'TRASHED' then
    post.title := '';
    post.content := '';
  end if;
  return post;
end $$;
comment on function app_hidden.post_to_search(app_public.posts) is $$The post with the texts that a search finds: with none in the trash.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_title text;
begin
  new := app_hidden.post_to_search(new);
  old := app_hidden.post_to_search(old);
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
    v_post := app_hidden.post_to_search(v_post);
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
    v_post := app_hidden.post_to_search(v_post);
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
--! Included functions/posts/free_slug.sql
-- Security definer: a slug must be unique among all posts, and the viewer cannot see the drafts of others.
create or replace function app_hidden.free_slug(post app_public.posts) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := app_hidden.slugify(post.title);
begin
  -- Only published posts get a slug without an id, so it tells nothing of drafts. A title that ends in a number always gets the
  -- id, because its slug could be the one of a draft. The lock is only tried: of several posts of one title that are published
  -- at once, one gets the plain slug, and none waits. Slugs share 4,000 locks: PostgreSQL has room for some 6,000, and one statement may publish
  -- more posts.
  if post.status = 'PUBLISHED' and v_slug !~ '-[0-9]+$' and pg_try_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug) % 2000) then
    if not exists (select from app_public.posts where slug = v_slug and id <> post.id) then
      return v_slug;
    end if;
  end if;
  -- The first round is free, unless that slug is from an earlier version or was written in SQL.
  loop
    v_slug := v_slug || '-' || post.id;
    exit when not exists (select from app_public.posts where slug = v_slug and id <> post.id);
  end loop;
  return v_slug;
end $$;
comment on function app_hidden.free_slug(app_public.posts) is $$A slug that no other post has: the title’s, for a published post if it is free, else with the post’s id. Never waits for other writers.$$;
grant execute on function app_hidden.free_slug(app_public.posts) to :API_MEMBER;
--! EndIncluded functions/posts/free_slug.sql
--! Included functions/trash/restore_post.sql
create or replace function app_hidden.slug_after_trash(post app_public.posts) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := (select slug from app_public.trashed_posts where id = post.id);
begin
  -- free_slug() only tries this lock, and gives the slug to nobody meanwhile.
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug) % 2000);
  return case when v_slug is null or exists (select from app_public.posts where slug = v_slug) then app_hidden.free_slug(post) else v_slug end;
end $$;
comment on function app_hidden.slug_after_trash(app_public.posts) is $$The slug that a post had before it was deleted, unless another one has it now.$$;

-- Security definer: nobody writes tags and reports.
create or replace function app_hidden.tg_posts__leave_trash() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.set_post_tags(new.id, tags) from app_public.trashed_posts where id = new.id;
  insert into app_public.reports (post_id, comment_id, created_at)
  select case when comment_id is null then new.id end, comment_id, min(created_at) from app_private.trashed_reasons where post_id = new.id group by comment_id
  on conflict do nothing;
  insert into app_public.report_reasons (report_id, reporter_id, reason, created_at)
  select reports.id, reporter_id, reason, given.created_at
    from app_private.trashed_reasons as given
    join app_public.reports on case when given.comment_id is null then reports.post_id = new.id else reports.comment_id = given.comment_id end
   where given.post_id = new.id
  on conflict do nothing;
  delete from app_public.trashed_posts where id = new.id;
  return null;
end $$;
comment on function app_hidden.tg_posts__leave_trash() is $$After a post gets another status than TRASHED, by restore_post() or in SQL: brings its tags and open reports back.$$;

-- Security definer: nobody sees a post in the trash.
create or replace function app_hidden.take_from_trash(id bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_trashed app_public.trashed_posts;
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts where posts.id = take_from_trash.id and status = 'TRASHED' for update;
  select * into v_trashed from app_public.trashed_posts
   where trashed_posts.id = v_post.id and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'));
  if not found then
    return false;
  end if;
  -- Else an author would undo what a moderator has done.
  if v_trashed.deleted_by_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_may('EDIT_ANY_POST') then
    perform app_hidden.refuse_unauthorized();
  end if;
  update app_public.posts
     set status = v_trashed.status, published_at = v_trashed.published_at,
         publish_at = case when v_trashed.publish_at > now() then v_trashed.publish_at end
   where posts.id = v_post.id;
  return true;
end $$;
comment on function app_hidden.take_from_trash(bigint) is $$Brings a post of the viewer’s, or with the right EDIT_ANY_POST any post, back from the trash. False when there is none.$$;
grant execute on function app_hidden.take_from_trash(bigint) to :API_MEMBER;

create or replace function app_public.restore_post(id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  if not app_hidden.take_from_trash(restore_post.id) then
    perform app_hidden.refuse_missing('trashed post');
  end if;
  select * into v_post from app_public.posts where posts.id = restore_post.id;
  return v_post;
end $$;
comment on function app_public.restore_post(bigint) is $$@describe id The post, of trashedPosts.
Brings a deleted post of yours back as it was: with its comments, tags and status, and with its slug unless another post has it now. A post of yours that somebody else has deleted: UNAUTHORIZED without the right EDIT_ANY_POST. A time for publication that has passed meanwhile is left out.$$;
grant execute on function app_public.restore_post(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/restore_post.sql
