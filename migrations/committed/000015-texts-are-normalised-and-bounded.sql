--! Previous: sha1:466ac449ecff177299e63a081bb2d4957a0555a6
--! Hash: sha1:f46f695eac8b64aba0b0bac2928c46aadd08a6ad
--! Message: texts are normalised and bounded

--! split: 030-text.sql
-- All texts follow the same rules, normalisation cannot run away, and slugs have letters of all scripts and no common lock.
--! Included functions/bounded_text.sql
-- normalize() takes quadratic time for a run of combining marks, and neither a time-out nor pg_terminate_backend() interrupts it.
-- This check is linear. The ranges are the characters that normalisation reorders, and unassigned ones between them.
create or replace function app_hidden.bounded_text(value text, max_length int) returns boolean
language sql immutable parallel safe
return case
  when char_length(value) > max_length then false
  when octet_length(value) = char_length(value) then true
  else value !~ '[\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670'
    '\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD\u0816-\u0819'
    '\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C\u094D'
    '\u0951-\u0954\u09BC\u09CD\u09FE\u0A3C-\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D-\u0C56\u0CBC\u0CCD'
    '\u0D3B-\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18-\u0F19\u0F35\u0F37\u0F39'
    '\u0F71-\u0F84\u0F86-\u0F87\u0FC6\u1037-\u103A\u108D\u135D-\u135F\u1714-\u1715\u1734\u17D2\u17DD\u18A9'
    '\u1939-\u193B\u1A17-\u1A18\u1A60-\u1A7F\u1AB0-\u1ACE\u1B34-\u1B44\u1B6B-\u1B73\u1BAA-\u1BAB\u1BE6-\u1BF3\u1C37'
    '\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4\u1CF8-\u1CF9\u1DC0-\u1DFF\u20D0-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF'
    '\u302A-\u302F\u3099-\u309A\uA66F\uA674-\uA67D\uA69E-\uA69F\uA6F0-\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1'
    '\uA92B-\uA92D\uA953\uA9B3-\uA9C0\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF\uAAC1\uAAF6\uABED\uFB1E'
    '\uFE20-\uFE2F\U000101FD\U000102E0\U00010376-\U0001037A\U00010A0D-\U00010A0F\U00010A38-\U00010A3F'
    '\U00010AE5-\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB-\U00010EAC\U00010EFD-\U00010EFF'
    '\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9-\U000110BA'
    '\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111C0\U000111CA\U00011235-\U00011236'
    '\U000112E9-\U000112EA\U0001133B-\U0001133C\U0001134D\U00011366-\U00011374\U000113CE-\U000113D0'
    '\U00011442-\U00011446\U0001145E\U000114C2-\U000114C3\U000115BF-\U000115C0\U0001163F\U000116B6-\U000116B7'
    '\U0001172B\U00011839-\U0001183A\U0001193D-\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F'
    '\U00011D42-\U00011D45\U00011D97\U00011F41-\U00011F42\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36'
    '\U00016FF0-\U00016FF1\U0001BC9E\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182'
    '\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244\U0001E000-\U0001E02A\U0001E08F'
    '\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E4EC-\U0001E4EF\U0001E5EE-\U0001E5EF'
    '\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A]{31}'
end;
comment on function app_hidden.bounded_text(text, int) is $$Whether normalize() may run on a text: it has at most that many characters (null is no limit), and at most 30 combining marks in a row.$$;
grant execute on function app_hidden.bounded_text(text, int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/bounded_text.sql
--! Included functions/normal_text.sql
create or replace function app_hidden.normal_text(value text, max_length int, is_line boolean default false) returns text
language sql immutable parallel safe
return case
  -- Normalisation shortens a text to a quarter at most, so a longer one is too long in any form.
  when not app_hidden.bounded_text(value, 4 * max_length) then value
  when not is_line then normalize(value, NFC)
  -- A blank text stays, so that its blank check reports it.
  else coalesce(nullif(btrim(normalize(value, NFC), U&' \0009\000A\000B\000C\000D\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'), ''), value)
end;
comment on function app_hidden.normal_text(text, int, boolean) is $$The stored form of a text: Unicode normal form C, and trimmed if it is a single line. A text that is too long or has too many combining marks in a row stays as it is: app_hidden.faults() reports it.$$;
grant execute on function app_hidden.normal_text(text, int, boolean) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/normal_text.sql
--! Included functions/faults.sql
-- PostgreSQL reports only the first violated constraint, but a form shows all errors at once. This evaluates every check
-- constraint of a table for a row that need not exist, and returns all violations.
create or replace function app_hidden.faults(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_rule record;
  v_expressions text;
  v_holds boolean[];
  v_value text;
  v_bounds int[];
  v_code text;
  v_params jsonb;
  v_faults jsonb;
begin
  -- PostgreSQL cannot hold NUL or a lone surrogate. The API replaces both with the noncharacter U+FDD0, and a long run of
  -- combining marks with U+FDD1. This refuses all noncharacters: Unicode reserves them for use inside a program.
  select coalesce(jsonb_agg(jsonb_build_object(
           'column', key, 'code', 'INVALID',
           'message', case when value ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]'
             then 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'
             else 'Text cannot contain more than 30 combining marks in a row.' end) order by key), '[]')
    into v_faults
    from jsonb_each_text(candidate)
   where value ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' or not app_hidden.bounded_text(value, null);

  select string_agg(format('(%s)', expression), ', ' order by column_names, rule_name)
    into v_expressions
    from app_hidden.rules where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_faults;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;
  if (false = any (v_holds)) is not true then
    return v_faults;
  end if;

  for v_rule in
    select column_names[1] as column_name, expression, message,
           row_number() over (order by column_names, rule_name) as place
      from app_hidden.rules where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_rule.place] is not false;
    v_value := candidate ->> v_rule.column_name;
    v_code := 'INVALID';
    v_params := null;
    v_bounds := array[substring(v_rule.expression from '>= (-?\d+)'), substring(v_rule.expression from '<= (-?\d+)')];
    if v_rule.expression like '%char_length(' || v_rule.column_name || ')%' then
      if char_length(v_value) > v_bounds[2] then
        v_code := 'TOO_LONG';
        v_params := jsonb_build_object('max', v_bounds[2]);
      elsif char_length(v_value) < v_bounds[1] then
        v_code := 'TOO_SHORT';
        v_params := jsonb_build_object('min', v_bounds[1]);
      end if;
    elsif v_bounds <> array[null, null]::int[] then
      v_code := 'OUT_OF_RANGE';
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_faults := v_faults || jsonb_strip_nulls(jsonb_build_object(
      'column', v_rule.column_name, 'code', v_code,
      'message', coalesce(v_rule.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_faults;
end $$;
comment on function app_hidden.faults(regclass, jsonb) is $$The faults of a row of the table: a JSON array of {column, code, message, params}, one for each violated check constraint. Codes: TOO_LONG, TOO_SHORT, OUT_OF_RANGE, INVALID.$$;
grant execute on function app_hidden.faults(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/faults.sql
--! Included functions/normalize_text.sql
create or replace function app_hidden.tg__normalize_text() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_changes jsonb;
begin
  select jsonb_object_agg(key, normal) into v_changes
    from jsonb_each(to_jsonb(new)) as field
   cross join lateral (values (field.value #>> '{}')) as given (text)
   cross join lateral app_hidden.normal_text(
     given.text,
     -- The column's length limit, from its check constraint.
     (select min(substring(expression from '<= (\d+)')::int) from app_hidden.rules
       where table_id = tg_relid and kind = 'c' and expression like '%char_length(' || key || ')%'),
     coalesce(key = any (tg_argv), false)) as normal
   where jsonb_typeof(field.value) = 'string'
     -- Skip what cannot change: ASCII without white space at its ends.
     and (octet_length(given.text) > char_length(given.text) or given.text ~ '^\s|\s$')
     and normal <> given.text;
  return case when v_changes is null then new else jsonb_populate_record(new, v_changes) end;
end $$;
comment on function app_hidden.tg__normalize_text() is $$Before a row is written: brings its texts into the form of app_hidden.normal_text(). The arguments are the columns of a single line. normalize_text() attaches it to a table.$$;

create or replace function app_hidden.normalize_text(relation regclass, lines text[] default '{}') returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_unknown text := (select min(line) from unnest(lines) as line where not exists (
    select from pg_catalog.pg_attribute where attrelid = relation and attname = line and attnum > 0));
begin
  if v_unknown is not null then
    raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_unknown);
  end if;
  execute format('create or replace trigger _050_normalize_text before insert or update on %s
    for each row execute function app_hidden.tg__normalize_text(%s)',
    relation, (select string_agg(quote_literal(line), ', ') from unnest(lines) as line));
  execute format('create or replace trigger _200_refuse_faults before insert or update on %s
    for each row execute function app_hidden.tg__refuse_faults()', relation);
end $$;
comment on function app_hidden.normalize_text(regclass, text[]) is $$Makes a table store all its texts in Unicode normal form C, trim the given columns, which hold a single line, and report all faults of a row at once.$$;
--! EndIncluded functions/normalize_text.sql

drop trigger if exists _100_prepare on app_public.users;
drop trigger if exists _100_prepare on app_public.comments;
drop function if exists app_hidden.tg_users__prepare();
drop function if exists app_hidden.tg_comments__prepare();
--! Included functions/tg_messages__prepare.sql
-- Security definer: members may not write a chat's last number.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order.
  update app_public.chats set last_number = last_number + 1 where id = new.chat_id returning last_number into new.number;
  if not found then
    -- Let the foreign key report the missing chat.
    new.number := 1;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: sets its number in the chat.$$;
--! EndIncluded functions/tg_messages__prepare.sql
select app_hidden.normalize_text('app_public.users', '{name,avatar}');
select app_hidden.normalize_text('app_private.accounts', '{email}');
select app_hidden.normalize_text('app_public.posts', '{title}');
select app_hidden.normalize_text('app_public.tags', '{name}');
select app_hidden.normalize_text('app_public.comments');
select app_hidden.normalize_text('app_public.chats', '{title}');
select app_hidden.normalize_text('app_public.messages');

-- The triggers normalise rows that earlier versions left as they were given. A row that cannot be normalised, such as an
-- e-mail that another account has in normal form C, stays.
do $$
declare
  v_id bigint;
begin
  for v_id in select user_id from app_private.accounts where email is not nfc normalized loop
    begin
      update app_private.accounts set email = email where user_id = v_id;
    exception when unique_violation or sqlstate 'FAULT' then
      raise warning 'The e-mail of user % stays as it is: %', v_id, sqlerrm;
    end;
  end loop;
  for v_id in select id from app_public.chats where title is not nfc normalized or title ~ '^\s|\s$' loop
    begin
      update app_public.chats set title = title where id = v_id;
    exception when sqlstate 'FAULT' then
      raise warning 'The title of chat % stays as it is: %', v_id, sqlerrm;
    end;
  end loop;
end $$;

--! Included functions/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return regexp_replace(
  app_hidden.normal_text(case when char_length(given) > 200 then given else lower(given) end, 50, true), '^\s+$', '');
comment on function app_hidden.tag_name(text) is $$The stored form of a tag: trimmed, lower case, Unicode normal form C.$$;
grant execute on function app_hidden.tag_name(text) to :API_MEMBER;

create or replace function app_hidden.tag_names(given text[]) returns text[]
language sql immutable parallel safe
return coalesce((
  select array_agg(name order by place)
    from (select app_hidden.tag_name(g.tag) as name, min(g.place) as place
            from unnest(given) with ordinality as g (tag, place)
           group by 1) as named
), '{}');
comment on function app_hidden.tag_names(text[]) is $$The stored form of the tags, without duplicates, in the given order.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_names.sql
--! Included functions/tag_faults.sql
create or replace function app_hidden.tag_faults(tags text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_faults jsonb;
begin
  -- The number first: each tag of a list that is too long would take time.
  select jsonb_agg(fault || jsonb_build_object('column', 'tags', 'code', 'TOO_LONG', 'params', jsonb_build_object('max', fault #> '{params,max}')))
    into v_faults
    from jsonb_array_elements(app_hidden.faults('app_public.post_tags',
      -- The column is a smallint.
      jsonb_build_object('position', case when tags <> '{}' then least(cardinality(tags), 32767) end))) as fault;
  return coalesce(v_faults, (
    select coalesce(jsonb_agg(fault || jsonb_build_object('column', 'tags', 'index', place - 1) order by place), '[]')
      from unnest(tags) with ordinality as given (name, place),
           jsonb_array_elements(app_hidden.faults('app_public.tags',
             jsonb_build_object('name', app_hidden.tag_name(given.name)))) as fault
  ));
end $$;
comment on function app_hidden.tag_faults(text[]) is $$The faults of a post’s tags, in the form of app_hidden.faults(), with the tag’s 0-based position in the list as index.$$;
grant execute on function app_hidden.tag_faults(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_faults.sql
comment on column app_public.create_post_input.tags is $$At most 15 tags of 1 to 50 characters. They are trimmed and converted to lower case; duplicates are removed.$$;
--! Included functions/member_faults.sql
create or replace function app_hidden.member_faults(member_ids bigint[]) returns jsonb
language sql stable set search_path = '' as $$
  select case
    -- The number first: each member of a list that is too long would take time.
    when cardinality(member_ids) > 100 then jsonb_build_array(jsonb_build_object('column', 'member_ids',
      'code', 'TOO_LONG', 'message', 'A chat starts with at most 100 other members.', 'params', '{"max": 100}'::jsonb))
    else (
      select coalesce(jsonb_agg(jsonb_build_object('column', 'member_ids', 'index', place - 1,
               'code', 'INVALID_REFERENCE', 'message', 'This user does not exist.') order by place), '[]')
        from unnest(member_ids) with ordinality as given (id, place)
       where not exists (select from app_public.users where users.id = given.id))
  end
$$;
comment on function app_hidden.member_faults(bigint[]) is $$The faults of the members of a new chat, in the form of app_hidden.faults().$$;
--! EndIncluded functions/member_faults.sql
--! Included functions/create_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.create_chat(member_ids bigint[], title text default null) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.member_faults(create_chat.member_ids);
  v_detail text;
  v_chat app_public.chats;
begin
  begin
    insert into app_public.chats (title) values (create_chat.title) returning * into v_chat;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.chat_members (chat_id, user_id)
  select v_chat.id, id from unnest(create_chat.member_ids || app_hidden.viewer_id()) as id group by id;
  return v_chat;
end $$;
comment on function app_public.create_chat(bigint[], text) is $$@describe member_ids The other members, at most 100.
@describe title The chat’s title: 1 to 100 characters, or null.
Creates a chat between you and other users.$$;
grant execute on function app_public.create_chat(bigint[], text) to :API_MEMBER;
--! EndIncluded functions/create_chat.sql

--! Included functions/slugify.sql
-- An explicit list, because [[:alnum:]] and \w depend on the database's locale: all but letters, digits and marks, as far as
-- plane 0 goes, and the symbols, tags and private characters of the others.
create or replace function app_hidden.slug_words(value text) returns text
language sql immutable parallel safe
return trim(both '-' from regexp_replace(lower(value collate "C"),
  '[\u0000-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
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
  '\U0001D000-\U0001D164\U0001F000-\U0001FAFF\U000E0000-\U000E00FF\U000F0000-\U0010FFFF]+', '-', 'g'));
comment on function app_hidden.slug_words(text) is $$The words of a text, with single hyphens between them. ASCII letters are in lower case. A valid slug is its own result.$$;
grant execute on function app_hidden.slug_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.slugify(title text) returns text
language sql stable parallel safe set search_path = '' as $$
  -- A title without letters and digits, such as an emoji, needs a slug, too.
  select coalesce((
    select nullif(rtrim(left(words, 80), '-'), '')
      from app_hidden.slug_words(
        normalize(lower(app_hidden.unaccent('app_hidden.unaccent', left(title, 200))), NFC)) as words
     where app_hidden.bounded_text(words, null)), 'post')
$$;
comment on function app_hidden.slugify(text) is $$The title as lower-case letters and digits of any script, without Latin accents, and hyphens, at most 80 characters: “Crème brûlée!” becomes creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/slugify.sql
--! Included functions/free_slug.sql
-- Security definer: a slug must be unique among all posts, and the viewer cannot see the drafts of others.
create or replace function app_hidden.free_slug(title text, post_id bigint, is_published boolean) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_slug text := app_hidden.slugify(title);
begin
  -- Only published posts get a slug without an id, so it tells nothing of drafts. A title that ends in a number always gets the
  -- id, because its slug could be the one of a draft. The lock is only tried: of several posts of one title that are published
  -- at once, one gets the plain slug, and none waits.
  if is_published and v_slug !~ '-[0-9]+$'
     and pg_try_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug))
     and not exists (select from app_public.posts where slug = v_slug and id <> post_id) then
    return v_slug;
  end if;
  -- The first round is free, unless that slug is from an earlier version or was written in SQL.
  loop
    v_slug := v_slug || '-' || post_id;
    exit when not exists (select from app_public.posts where slug = v_slug and id <> post_id);
  end loop;
  return v_slug;
end $$;
comment on function app_hidden.free_slug(text, bigint, boolean) is $$A slug that no other post has: the title’s, for a published post if it is free, else with the post’s id. Never waits for other writers.$$;
grant execute on function app_hidden.free_slug(text, bigint, boolean) to :API_MEMBER;
--! EndIncluded functions/free_slug.sql
--! Included functions/start_of.sql
create or replace function app_hidden.start_of(content text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case
    when char_length(storable) <= 200 then rtrim(storable, E' \t\r\n')
    -- Cut at the last white space within 201 characters. A single longer word is cut at 200.
    else rtrim(coalesce(substring(left(storable, 201) from '^(.*\S)\s'), left(storable, 200)), E' \t\r\n')
  end
  -- Drop characters that must not be stored: the content's own fault reports them, once.
  from regexp_replace(left(start_of.content, 201), '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g') as storable
$$;
comment on function app_hidden.start_of(text) is $$The beginning of a text in whole words, at most 200 characters.$$;
grant execute on function app_hidden.start_of(text) to :API_MEMBER;
--! EndIncluded functions/start_of.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays.
  if new.excerpt is null
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  if new.status = 'DRAFT' then
    new.published_at := null;
  elsif v_is_new or old.status = 'DRAFT' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
drop function if exists app_hidden.free_slug(text, bigint);

comment on column app_public.posts.slug is $$The post’s name in URLs: made from the title, unique, with letters and digits of any script. A draft’s slug ends in its id, and so does a published post’s if the title alone is taken or ends in a number. Does not change after the first publication.$$;

-- The slugs of drafts had no ids. Without triggers: nothing that a reader can see changes, and a draft that breaks a new rule
-- stays.
alter table app_public.posts drop constraint if exists posts_slug_check;
alter table app_public.posts disable trigger user;
update app_public.posts set slug = app_hidden.free_slug(title, id, false)
 where first_published_at is null and slug !~ ('-' || id || '$');
alter table app_public.posts enable trigger user;

-- Not valid: older rows stay as they are until they are written again, and no table is scanned under its lock.
alter table app_public.posts add constraint posts_slug_check check (slug <> '' and slug = app_hidden.slug_words(slug)) not valid;
comment on constraint posts_slug_check on app_public.posts is $$A slug consists of lower-case letters and digits, with single hyphens between them.$$;
alter table app_public.posts drop constraint if exists posts_content_blank_check;
alter table app_public.posts add constraint posts_content_blank_check check (content ~ '\S' or content = '') not valid;
comment on constraint posts_content_blank_check on app_public.posts is $$Content needs a character other than white space.$$;
alter table app_public.chats drop constraint if exists chats_title_blank_check;
alter table app_public.chats add constraint chats_title_blank_check check (title ~ '\S' or title = '') not valid;
comment on constraint chats_title_blank_check on app_public.chats is $$A chat’s title needs a character other than white space.$$;
