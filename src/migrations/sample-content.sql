-- Sample content for the embedded database, loaded at its first start: a small magazine with its writers, posts, comments
-- and chats. Times are relative to now, so that the feed looks recent. Rows refer to each other by first name and title, so
-- that lines can be added anywhere. All users have one password, which src/migrations/sampleContent.ts knows too. Production never has
-- this content: there, the service demands a database of its own.
begin;

-- Users in the order of their sign-up, `days` ago. Ada is user 1.
insert into app_public.users (name, bio, role, created_at)
select name, bio, role::app_public.user_role, now() - days * interval '1 day'
from (values
  ('Ada Lindqvist',   'Bakes, sails, and writes down what went wrong.', 'USER', 410.3),
  ('Noor Rahman',     'Edits this place, and answers its mail.', 'ADMIN', 405.1),
  ('Tomás Herrera',   'Engineer of small bridges. Photographs the large ones.', 'USER', 396.7),
  ('Mei Nakamura',    'Gardens on a balcony of four square metres. 🌱', 'USER', 391.2),
  ('Olu Adeyemi',     'Radio maker. Collects the sounds of stations at night.', 'USER', 385.9),
  ('Claire Fontaine', 'Traductrice, et marcheuse le reste du temps.', 'USER', 379.4),
  ('Samir Haddad',    'أكتب عن المدن القديمة وعن القهوة.', 'USER', 374.8),
  ('Ingrid Solberg',  'Keeps a lighthouse that no longer needs keeping.', 'USER', 370.5),
  ('Ravi Menon',      'Teaches mathematics to people who were told they could not.', 'USER', 366.6),
  ('Petra Novak',     'Counts birds on Sundays.', 'USER', 290.2),
  ('Jonah Whitfield', 'Repairs clocks. Is often late.', 'USER', 255.7),
  ('Lucía Bianchi',   'New here.', 'USER', 20.6)
) as people (name, bio, role, days);
-- The newest users have no picture yet.
update app_public.users set avatar = format('https://example.com/avatars/%s.png', id) where name <> 'Lucía Bianchi';
-- A hash that is made quickly: the password is public.
insert into app_private.accounts (user_id, email, verified_at, password_hash)
select id, lower(app_hidden.unaccent(split_part(name, ' ', 1))) || '@example.com', created_at,
       (select app_private.password_hash('sample password', app_hidden.gen_salt('bf', 4)))
from app_public.users;

-- The lines below refer to users by first name.
create temporary table sample_people on commit drop as
select id, split_part(name, ' ', 1) as first_name, created_at from app_public.users;

-- Follows, unevenly spread: nine users follow Ada, none follows Lucía. Each follow begins after both have signed up.
insert into app_public.follows (follower_id, followed_id, created_at)
select follower.id, followed.id, since + (now() - since) * (row_number() over (order by follower.id, followed.id) % 10 / 12.0)
from (values
  ('Ada',    '{Tomás,Mei,Ingrid,Petra}'),
  ('Noor',   '{Ada,Tomás,Mei,Olu,Claire,Samir,Ingrid,Ravi,Petra,Jonah}'),
  ('Tomás',  '{Ada,Ravi}'),
  ('Mei',    '{Ada,Samir,Petra}'),
  ('Olu',    '{Ada,Tomás,Claire,Samir,Ingrid}'),
  ('Claire', '{Ada,Samir}'),
  ('Samir',  '{Ada,Claire,Olu}'),
  ('Ingrid', '{Ada,Petra}'),
  ('Ravi',   '{Ada,Tomás}'),
  ('Petra',  '{Ingrid,Mei}'),
  ('Jonah',  '{Ada,Ravi}'),
  ('Lucía',  '{Tomás,Olu}')
) as readers (reader, writers)
cross join unnest(writers::text[]) as writer
left join sample_people follower on follower.first_name = reader
left join sample_people followed on followed.first_name = writer
cross join greatest(follower.created_at, followed.created_at) as since;

-- Posts. `days` is the time since publication, or since the last edit of a draft.
create temporary table sample_posts (
  author text, days numeric, status app_public.post_status, title text, tags text[], content text
) on commit drop;
insert into sample_posts values
('Ada', 359.62, 'PUBLISHED', 'The loaf that would not rise', '{bread,craft}',
$$I had done everything right. The starter was three days old and smelled of apples, the flour came from a mill I could see from the window, and the kitchen was warm for once. By evening the dough lay in its basket like a stone in a hat.

What I had forgotten was salt, or rather what I had remembered twice. Yeast can bear a great deal, but not the sea. I baked it all the same and we fed it to the gulls, who were polite about it.

The lesson is on a card above the bench now: TASTE THE DOUGH. It has saved me twice since, and once it saved a birthday.$$),
('Ada', 301.18, 'PUBLISHED', 'How to read a tide table', '{sailing,sea,craft}',
$$A tide table is a promise made by the moon and kept, more or less, by the water. The first column is the day, the second the hour, and the third how much of the harbour you will be able to use.

The rule of twelfths does the rest. In the first hour after low water a twelfth of the range comes in, in the second two twelfths, in the third and fourth three each, and then it slows again. Learn it once and you will never again sit on a sandbank at lunch, waiting.

Then add an hour for summer time, which the moon does not keep. I have seen a whole regatta forget it. 🌙$$),
('Ada', 214.37, 'PUBLISHED', 'Salt, patience and the second rise', '{bread,slow}',
$$People ask how long the second rise takes. It takes until it is done, which is an answer nobody likes and every baker gives. Press the dough with a wet finger: if it springs back at once it is young, if it does not spring back it is old, and if it thinks about it first it is ready.

I have stopped setting a timer. I put the kettle on instead, and by the time I have forgotten why, the loaf has usually made up its mind.$$),
('Ada', 120.81, 'PUBLISHED', 'Alone across the sound', '{sailing,sea}',
$$The forecast said four, gusting five, and the sky agreed. I reefed before I cast off, because the best time to reef is when you first think of it and the second best was ten minutes ago.

Halfway over, the ferry passed and someone waved. I waved back with the hand I could spare. There is a kind of loneliness that is only quiet, and I came home with a whole afternoon of it.

In the log I wrote: wind as promised, one ferry, one wave. It is the shortest entry of the year and the one that I read most.$$),
('Ada', 31.44, 'PUBLISHED', 'A rye for dark mornings', '{bread}',
$$Rye does not want to be kneaded. It wants to be stirred, insulted a little, and left alone overnight. In the morning it will have filled the tin and cracked along the top like a dry riverbed.

Slice it thin on the second day, never on the first. The first day is only for smelling it.$$),
('Ada', 3.27, 'PUBLISHED', 'Notes from a week without wind', '{}',
$$Five days of flat water. We rowed out in the evening and let the boat lie, and the cliffs stood on their heads beneath us.

On the sixth day a line of ripples came in from the west, and nobody said anything. We were almost sorry.

There is a kind of sailor who starts the engine after ten minutes. I used to be one. What changed is not my patience but the price of diesel, and after that, slowly, my patience.$$),
('Tomás', 12.41, 'PUBLISHED', 'What a bridge says at night', '{bridges,sound}',
$$Steel shortens when it cools. By two in the morning the old railway bridge has lost four millimetres, and it tells you so: a tick, a groan, a long pause, a tick. I sat under it with a thermos and a microphone and wrote down the times.

The intervals follow the temperature almost exactly. The almost is what I went back for.

Three times that night, between two and four, something ticked that the thermometer knew nothing of. I have been through the usual suspects: wind, the river, my own knees.

If you have an idea, write below. I will be under the bridge again on Tuesday, with more thermos.$$),
('Tomás', 250.55, 'PUBLISHED', 'Small bridges, large opinions', '{bridges,craft}',
$$Nobody writes to the council about a large bridge. It is there, like weather. But move a footbridge three metres downstream and you will hear from people who have crossed it once, in 1987, in the rain.

They are right to write. A small bridge is the shape of a habit, and you should ask before you move one.$$),
('Tomás', 348.29, 'PUBLISHED', 'The arithmetic of arches', '{bridges,mathematics}',
$$Hang a chain from two nails and look at its curve. Turn the picture upside down and you have the arch that stands with the least effort. Hooke knew it in 1675 and hid it in an anagram, so that nobody would build one before he had.

Every arch I have drawn since begins with a chain on the office wall. The cleaner thinks that it is art.$$),
('Mei', 329.9, 'PUBLISHED', 'ベランダの四平方メートル', '{gardens,日本語}',
$$ベランダは四平方メートルしかありません。それでも、トマトが三本、紫蘇が一列、そして名前を知らない花がひとつあります。

朝、水をやりながら、下の通りを歩く人の傘を数えます。雨の日は、花よりも傘のほうがたくさん咲いています。

祖母はよく「狭い庭ほど、よく見える」と言いました。いまは、その意味が少しわかる気がします。$$),
('Mei', 240.13, 'PUBLISHED', 'Tomatoes on the fourth floor', '{gardens,food}',
$$The bees found us in the second week of June. Four floors up, over a road with two bus lines, they came for three tomato plants in buckets. I counted eleven before breakfast.

Water in the morning, never on the leaves. Pinch out the side shoots while you wait for the coffee. Apologise to the neighbour below.

By August we had eighty-one tomatoes, which is about two euros each if you count the buckets. Do not count the buckets. 🍅$$),
('Mei', 90.72, 'PUBLISHED', 'The seed drawer', '{gardens,slow}',
$$There is a drawer in my kitchen that I do not open between October and February. It holds forty paper envelopes, each with a name and a year in my grandmother's hand or in mine, and by winter I no longer remember whose is whose.

In March I open it and everything is possible. That is all gardening is, I sometimes think: a drawer, and the patience not to open it.$$),
('Mei', 7.6, 'PUBLISHED', 'Moss is not a problem', '{gardens,rain}',
$$You can buy nine products against moss and not one for it. Yet it asks for nothing: no soil, no shears, no opinion. It came to the north side of the balcony by itself and has made it, without any help, the most beautiful thing I own.

My grandmother combed hers with a feather. I thought that this was a story until I found the feather, in the drawer with the seeds, labelled.$$),
('Olu', 344.48, 'PUBLISHED', 'The sound of a waiting room', '{sound,trains,music}',
$$Every station at night has the same three sounds and mixes them differently. There is the hum of the lamps, the wheel of one suitcase, and somebody explaining something on a telephone. I have recorded two hundred and six of them.

The best is in a town whose name I promised not to tell. Its waiting room has a piano, and at twenty past one somebody always plays half a waltz, then leaves for the train.

I have asked the night staff who it is. They look at each other, and then they ask me what piano.$$),
('Olu', 230.66, 'PUBLISHED', 'How to record rain', '{sound,rain,craft}',
$$Rain has no sound. What you hear is the roof. So before you choose a microphone, choose what it should fall on: tin for a story, leaves for a memory, an umbrella for dialogue.

Record ten minutes more than you need. The good minute is always the one after you have decided that you have enough. 🌧️$$),
('Olu', 130.05, 'PUBLISHED', 'Night train to nowhere in particular', '{trains,slow}',
$$I bought the ticket for the length of the journey and not for its end. Eleven hours, one change, no view after ten. The conductor asked whether I was going to see family, and I said that I was going to see the train.

He sat down across from me at three in the morning and told me about the winter of the long snow. I did not record it. Some things are better kept badly.

We were forty minutes late at the other end. Nobody on that train had anywhere to be, and so for once nobody had lost anything.$$),
('Olu', 15.33, 'PUBLISHED', 'The other half of the waltz', '{music,sound,trains}',
$$I found it. Not the pianist, but the other half: thirty-two bars, in another waiting room, one stop down the line and twenty-six minutes later, on an upright with four dead keys.

Played end to end the two recordings make one waltz, and the join is clean. Whoever it is plays to the door, boards the train, counts the rests through the tunnel, and goes on.

I have laid both halves over the timetable. The train is never early. The music never is either.

I could wait on the platform and look. I have decided that I would rather listen. 🎹$$),
('Claire', 324.21, 'PUBLISHED', 'Traduire le silence', '{language,français}',
$$Il y a dans le texte une ligne blanche. L'auteur ne l'explique pas, l'éditeur voulait la supprimer, et moi je dois la traduire. Comment dit-on une ligne blanche dans une autre langue ?

J'ai fini par la laisser telle quelle. C'est la seule phrase du livre dont je sois tout à fait sûre.

Le correcteur, lui, l'a comptée comme une faute. Nous en avons ri, puis nous l'avons payée : une ligne blanche, au tarif des autres.$$),
('Claire', 215.74, 'PUBLISHED', 'Words that do not travel', '{language}',
$$Every translator keeps a list of words that arrive broken. Mine begins with dépaysement, the feeling of being pleasantly lost in somebody else's country, and ends, this week, with a Norwegian word for the shiver of snow that is about to melt.

You do not translate them. You build a small house around them in the new language and hope that the reader comes in.$$),
('Claire', 110.52, 'PUBLISHED', 'Le sentier des douaniers', '{français,sea}',
$$Douze kilomètres entre la mer et les ajoncs. Les douaniers y guettaient les contrebandiers ; nous n'y guettons plus que la pluie, qui arrive d'ailleurs avec la même ponctualité.

Emportez du pain, un couteau, et quelqu'un qui ne parle pas trop.$$),
('Claire', 20.15, 'PUBLISHED', 'Le dictionnaire du grenier', '{language,français,slow}',
$$Le dictionnaire de mon grand-père garde une fougère séchée à la lettre F et un ticket d'autobus à la lettre M. Je n'y cherche plus de mots ; j'y cherche l'endroit où il s'est arrêté de lire.

Il lui manque tout ce qu'on a inventé depuis 1951. Je n'en ai encore jamais eu besoin en le tenant.$$),
('Samir', 310.83, 'PUBLISHED', 'قهوة الصباح في المدينة القديمة', '{العربية,cities}',
$$في المدينة القديمة لا يسألك أحد كيف تريد قهوتك. ينظر إليك صاحب المقهى مرة واحدة، ثم يقرر. وفي كل صباح يكون على حق.

أجلس عند الباب حيث يمر الخبز والجرائد والأطفال. المدينة كلها تمر من هنا قبل التاسعة، وما لا يمر لم يحدث.

سألته يوما كيف يعرف. قال: أنظر إلى الحذاء، لا إلى الوجه. الوجه يكذب في الصباح. ☕$$),
('Samir', 205.39, 'PUBLISHED', 'A city measured in stairs', '{cities,maps}',
$$The old quarter has no street numbers. You are told: up the forty steps, left at the fig tree, then up until you are out of breath. Everybody who lives here has strong legs and short sentences.

I once tried to draw a map of it and gave up at the third level. It is not a place that can be seen from above. It has to be climbed.

So I am making another kind of map: a list. Where to rest, where to drink, whose grandmother to greet. It is nine pages long and has no north.

Two boys have tested it. They arrived, out of breath, at the wrong house, were given lunch, and report that the map is excellent.$$),
('Samir', 100.58, 'PUBLISHED', 'Cardamom, or the argument', '{food}',
$$My aunt puts cardamom into coffee and my uncle takes it out again, pod by pod, with a spoon, in silence. They have been married for forty-one years. ☕

I have come to believe that the argument is the recipe.$$),
('Samir', 9.87, 'PUBLISHED', 'The last sign painter', '{cities,craft}',
$$He holds the brush as if it might fly away. The letters come out of his wrist in one breath, thick and thin, and when I ask how he spaces them he says: until they stop quarrelling.

There were thirty of them on this street. Now there is one, and a shop that prints vinyl, and the shop has asked him for his alphabet. He is thinking about it.

I asked what he would charge for it. He looked at the shop, at the brush, at me. For the letters, nothing, he said. For the spaces, a great deal.$$),
('Ingrid', 295.46, 'PUBLISHED', 'Keeping a light that nobody needs', '{lighthouse,sea}',
$$The lamp has been automatic since 1984 and the ships have satellites. I am paid, a little, to keep the paint white. All the same I climb the hundred and nineteen steps each evening and look whether it is turning.

It always is. I think of it as a conversation that we are both too polite to end.

In January the power failed for six minutes. Before I had found my boots the telephone rang, and rang again: a trawler, a ferry, a woman who watches from the mainland when she cannot sleep.

Nobody needs it. I made a list of the nobodies, and it is on the wall beside the lamp.$$),
('Ingrid', 180.92, 'PUBLISHED', 'Fog, in four kinds', '{lighthouse,rain}',
$$There is the fog that comes in from the sea like a guest, the one that rises from the grass like a debt, the one that is only cloud which has lost its way, and the one that you notice when the gulls start walking.

Only the last is dangerous. If the birds will not fly, put the kettle on.$$),
('Ingrid', 60.24, 'PUBLISHED', 'A logbook of small things', '{}',
$$The regulations ask for wind, sea, visibility and lamp. My predecessor added a fifth column and never gave it a name. Seal on the slip. Letter from M. First swallow. Bread good.

I have kept it going. It is the only column that anyone has ever asked to read.

Yesterday: otter on the slip, not in a hurry. Wind nothing. Lamp good. Bread late, but good.$$),
('Ravi', 270.35, 'PUBLISHED', 'You were told you could not', '{mathematics,teaching}',
$$On the first evening I ask them to write down who told them. It is never a theorem. It is a teacher with a red pen, an uncle at a table, a timetable of exams. I collect the papers and we burn them in the yard, and then we add fractions.

By the sixth week somebody always says: is that all it was? Yes. That is all it was.

I keep the matches in the drawer with the chalk.$$),
('Ravi', 160.7, 'PUBLISHED', 'The bug that counted from one', '{programming,mathematics}',
$$The program that assigns my evening students to rooms had, for eleven years, left one chair empty in every room. Nobody minded. There was always somewhere to put a coat.

It was the oldest mistake there is: a loop that began at one, in a language that begins at nothing. I changed a single character, ran the tests, and was proud for an hour.

Then the letters came. Where should the coats go? The empty chair was not in the specification, but it was in the building. I put the bug back, gave it a name and a comment, and wrote a test to protect it.$$),
('Ravi', 45.11, 'PUBLISHED', 'Proof by bread', '{mathematics,bread}',
$$Cut a loaf in half, then the half in half, then again. You will never run out of bread and you will never have eaten it all, and yet the crumbs add up to exactly one loaf.

My students found this convincing. My baker, who reads these pages, did not. 🍞$$),
('Petra', 190.28, 'PUBLISHED', 'Counting what flies away', '{birds}',
$$You do not count birds. You count the ones that you saw, correct for the ones that you did not, and then argue with the person beside you about the gull. On a good Sunday we agree to within ten in a hundred.

The numbers go to an office in the capital, where somebody I have never met has been drawing the same line for thirty years. It goes down. We count anyway.

Bring gloves, a pencil (ink freezes), and somebody who disagrees with you. Half past six, by the sluice.$$),
('Petra', 95.63, 'PUBLISHED', 'The heron on platform two', '{birds,trains}',
$$It stands at the end of platform two, where the canal goes under the line, and leaves when the 7:42 arrives. The regulars set their watches by it. When the timetable changed in December it was late for three days, and then it was not.

I have written to the railway to ask whether it is in the timetable. They answered, very properly, that they could not discuss other passengers.$$),
('Petra', 5.36, 'PUBLISHED', 'A field guide to brown ones', '{birds}',
$$Beginners learn the kingfisher in an afternoon. It takes ten years to learn the brown ones. They are all the same size, they are all behind a leaf, and the book shows each of them from the side that you did not see.

My advice: learn one. Learn it until you would know its walk. Then everything else is not that one, and you have begun.$$),
('Jonah', 135.49, 'PUBLISHED', 'Why I am late', '{}',
$$I have eleven clocks in the workshop, and each of them is right in its own way. The one from the town hall loses a minute a week and has done so since the war. The carriage clock gains when it is admired.

So when you ask me for the time, I have to ask you: whose?$$),
('Jonah', 74.3, 'PUBLISHED', 'Time zones, for clockmakers', '{programming,clocks}',
$$A customer asked me to look at her program, because it was "also a sort of clock". It ran a bakery's ovens and had, one night in October, baked everything twice.

I know that night. Every clock in my shop has to be stopped for an hour on it, and I sit with them and eat a sandwich. Her program had no sandwich. It saw two o'clock come, and then two o'clock come again, and did as it was told.

We fixed it the way that you fix a tower clock: let the works run steadily and never touch them, and move only the hands. Programmers call the works UTC. I call it not opening the case.

She paid me in rolls. There were a great many.

P.S. To those who asked: yes, in spring there was nothing for breakfast.$$),
('Jonah', 2.14, 'PUBLISHED', 'The pendulum and the lorry', '{clocks,craft}',
$$For a month the long-case clock stopped every night at ten past four. I took it apart three times. Then I slept in the workshop, and at ten past four the milk lorry went by, and the floor moved, and the pendulum touched the case.

I shifted the clock by a hand's breadth. The best repair I ever made, and nothing to show for it.$$),
('Noor', 331.57, 'PUBLISHED', 'What we print here', '{editorial}',
$$We print what its writer could not stop thinking about. It need not be new and it need not be long. We would rather have one good paragraph about moss than a thousand fair words about everything.

If you are not sure whether it is finished, send it. We are not sure either, and two people who are not sure can get quite far.$$),
('Noor', 40.4, 'PUBLISHED', 'A year of letters to the editor', '{editorial,slow}',
$$Four hundred and twelve letters. The bread wins, as always, ahead of the birds; the piece about footbridges drew one letter of nine pages, with drawings. Two readers met through the comments below the night train and have written to say that they are taking it together. 💌

Thank you. Keep writing, and tell us when we are wrong about the gulls.$$),
('Petra', 0.38, 'PUBLISHED', 'A map for people who look up', '{birds,maps}',
$$Ordinary maps end at the ground. I wanted one of the air above our town: where the swifts turn, which chimney the jackdaws own, the invisible road by which the geese come in.

So for a year I drew an arrow for every bird that I could name and a dot for each that I could not. The dots won. 🐦

Laid over the street plan it makes no sense at all. Laid over the plan of 1890, before the canal was covered, every arrow follows the water.$$),
('Ada', 6.2, 'DRAFT', 'On being becalmed', '{sailing,slow}',
$$An idea about patience that is not finished. Come back to it after the weekend.

Perhaps it belongs with the week without wind? Perhaps it is the week without wind.$$),
('Tomás', 30.5, 'DRAFT', 'Seven bridges, again', '{bridges,mathematics}',
$$Walk all seven without crossing one twice. Show the picture first, then the proof, or the other way around?

Ask Ravi. He will say proof. Ask Olu, then, and print both answers.$$),
('Olu', 2.6, 'DRAFT', 'Two hundred and seven', '{sound,trains}',
$$The new recording from the border station. Ask the stationmaster before this goes out.

00:00 lamps. 00:41 a suitcase. 03:12 the long announcement, in three languages, of which I know one and a half.$$),
('Claire', 14.8, 'DRAFT', 'Brouillon', '{français,language}',
$$Quelques notes sur le mot brouillon, qui a donné brouillard, ou l'inverse.

Vérifier d'abord. Rêver ensuite. (Ou l'inverse.)$$),
('Ingrid', 1.3, 'DRAFT', 'The fifth column', '{lighthouse}',
$$All entries of one winter, without comment. Is that a text?

3 January: ice on the inside. 4 January: letter from M. 5 January: letter from M., again. 6 January: answered.$$),
('Ravi', 50.9, 'DRAFT', 'Infinity for the impatient', '{mathematics,teaching}',
$$Begin with the hotel. Everybody begins with the hotel. Begin with something else.

A loaf? No, that one is taken. A staircase. Ask Samir how many steps.$$),
('Lucía', 1.7, 'DRAFT', 'My first post', '{}',
$$I do not know yet what I want to write about, but I wanted to see what the box looks like.

Things I know something about: wrens (a week), trains (one), how to be new. 🙂$$);

-- Writing takes an hour for every forty characters. The trigger fills in slugs and excerpts.
insert into app_public.posts (author_id, title, content, status, published_at, created_at)
select (select id from sample_people where first_name = author), title, content, status,
       case status when 'PUBLISHED' then finished_at end, started_at
from sample_posts
cross join lateral (select now() - days * interval '1 day') as f (finished_at)
cross join lateral (select finished_at - char_length(content) / 40 * interval '1 hour') as s (started_at)
order by started_at;

select app_hidden.set_post_tags(posts.id, sample_posts.tags)
from sample_posts join app_public.posts using (title)
order by posts.id;

update app_public.posts set publish_at = date_trunc('hour', now()) + interval '7 days' where title = 'On being becalmed';

-- Some posts were corrected within a day. This runs last, because adding tags sets updated_at too.
update app_public.posts
set updated_at = now() - days * interval '1 day'
    + case posts.status when 'PUBLISHED' then posts.id % 4 * interval '50 minutes' else '0' end
from sample_posts where sample_posts.title = posts.title;

-- Comments: a thread under each title. A line holds the time since publication, the first name and the text. A line in
-- another form has no author, so the insert fails.
insert into app_public.comments (post_id, author_id, text, created_at)
select posts.id, (select id from sample_people where first_name = said[2]), said[3], posts.published_at + said[1]::interval as said_at
from (values
('The loaf that would not rise', $$
2h Ravi: Did the gulls come back the next day?
3h Ada: Every day since. I have made an enemy of the harbour master.
9h Mei: I once forgot the flour. Nobody believes me.
10h Ravi: What did you do with the starter?
1d Noor: This is why we print failures.
26h Ada: It lives. It is called Gertrude.$$),
('How to read a tide table', $$
5h Ingrid: The rule of twelfths has kept this rock dry for a century.
6h Ada: Coming from you that is a compliment.
30d Petra: Also works for counting waders. They follow the water out.
31d Ingrid: Then we should print it on both doors.$$),
('Salt, patience and the second rise', $$
40min Mei: “Thinks about it first” is exactly it.
11h Ravi: Is there a proof?
12h Ada: Only pudding.$$),
('Alone across the sound', $$
3h Ingrid: I saw you from the gallery. Well reefed.
4h Ada: That was you waving?
15h Olu: What did it sound like?
16h Ada: Like someone reading to himself in the next room.
2d Claire: Ne changez rien à la dernière phrase.$$),
('A rye for dark mornings', $$
1h Tomás: How thin is thin?
2h Ada: You should be able to read a headline through it.
20h Jonah: I ate it on the first day. I am not sorry.
21h Ada: You are never sorry.
3d Samir: With cardamom butter, perhaps.
12d Lucía: It worked! Well, it cracked. Is that the same?
13d Ada: It is exactly the same.$$),
('Notes from a week without wind', $$
4h Ingrid: Here too. Even the flag gave up.
5h Olu: Can I come and record that?
7h Ada: There is nothing to hear. So yes.$$),
('What a bridge says at night', $$
3h Olu: Please tell me that you kept the tape.
4h Tomás: Eleven hours of it.
4h5min Olu: I am coming over.
9h Ravi: What is the “almost”?
10h Tomás: About three ticks a night that temperature does not explain.
15h Jonah: A lorry, I would bet.
16h Tomás: There is no road there, Jonah.
17h Jonah: There was one in 1950.
1d Petra: Could be a heron landing on the rail. They weigh nothing, but they mean it.
27h Olu: Not with that attack. It is too soft at the start.
2d Claire: Relisez la phrase sur les genoux.
50h Tomás: My knees have been excluded. I sat on my hands and stood on the other bank.
3d Mei: Could the moss be doing it? Asking for a friend.
75h Tomás: Tell your friend it is innocent.
4d Noor: This thread is better than our last issue.
6d Ada: Boats tick when a line is too tight. Is anything moored there?
147h Tomás: Nothing. I looked.
8d Samir: My aunt says it is a person who is waiting for someone.
10d Olu: It was not a lorry. It was not a person either. We listened, and we looked.
242h Tomás: It was an otter. There is a photograph. 🦦$$),
('Small bridges, large opinions', $$
40d Petra: It was me, in 1987. It was raining very hard.
41d Tomás: We have moved it back.
43d Samir: Stairs are only bridges that have made up their minds.$$),
('The arithmetic of arches', $$
6h Ravi: I am stealing the chain for Tuesday’s class.
7h Tomás: Use a necklace, it hangs better.
1d Ada: Does it work for bread?
26h Ravi: Everything works for bread.$$),
('ベランダの四平方メートル', $$
8h Claire: Les parapluies qui fleurissent, quelle image.
10h Mei: ありがとうございます。雨の季節にまた書きます。
315d Lucía: I had to look up 紫蘇 and now I want some.
316d Mei: I will bring you a cutting. 🌿$$),
('Tomatoes on the fourth floor', $$
2h Petra: Eleven bees before breakfast is a good count.
1d Mei: Fourteen today.
9d Noor: The neighbour below has written to us. She says thank you.$$),
('Moss is not a problem', $$
3h Ingrid: It is if you are paid to keep the paint white.
4h Mei: Then I am sorry for your paint.
6h Jonah: There is some in my cuckoo clock. The cuckoo looks happier.$$),
('The sound of a waiting room', $$
4h Claire: Half a waltz! And the other half?
5h Olu: I believe somebody plays it at the next station.
80d Petra: Is it the one with the heron?
330d Lucía: Please tell us the town.
331d Olu: I promised.$$),
('How to record rain', $$
7h Mei: What does moss sound like?
9h Olu: Like the absence of a roof.
10h Ingrid: Come for the fourth kind of fog some time.$$),
('Night train to nowhere in particular', $$
2h Petra: I know that conductor.
9d Claire: I bought the same ticket after reading this. It was the best night of my year.
10d Olu: Did he tell you about the snow?
11d Claire: Twice. The second time it was longer.
70d Tomás: Which seat? I am asking for two.
90d Noor: See the letters column.$$),
('The other half of the waltz', $$
1h Claire: Je le savais !
2h Ravi: Thirty-two bars in twenty-six minutes of rests. Somebody can count.
5h Mei: I played it to the balcony, both halves. The neighbour below clapped.
6h Olu: That is the best review that I have ever had.
2d Lucía: How did you know where to wait?
50h Olu: I did not wait. I got off at the wrong stop.$$),
('Traduire le silence', $$
12h Samir: في العربية نترك السطر أبيض أيضا.
14h Claire: Alors nous nous comprenons.$$),
('Words that do not travel', $$
5h Ingrid: The word is “kram”, nearly. Nearly is the problem.
6h Claire: Nearly is the whole profession.
8h Samir: We have one for the coffee that you are offered so that you stay.
13h Mei: And we one for the light between leaves: 木漏れ日.$$),
('Le dictionnaire du grenier', $$
7h Samir: À quelle page s’est-il arrêté ?
8h Claire: « Partir ». Je ne l’invente pas.$$),
('قهوة الصباح في المدينة القديمة', $$
3h Claire: On sent l’odeur d’ici.
4h Samir: تفضلي، الباب مفتوح.
2d Noor: We should hold the next meeting there.
3d Samir: أهلا وسهلا. Wear good shoes, he looks.$$),
('A city measured in stairs', $$
6h Tomás: Forty steps at what height of riser? I ask for work.
7h Samir: Every one different. It keeps the tourists honest.$$),
('Cardamom, or the argument', $$
1h Ada: My vote is with the aunt.
5h Ravi: Mine is with the spoon.
1d Samir: They have both read this. They disagree with it.$$),
('The last sign painter', $$
2h Jonah: He painted my shop in 1999. Not a letter has faded.
9h Mei: “Until they stop quarrelling.”
4d Samir: He has decided: no.
5d Noor: May we print his alphabet, then, if he paints it himself?
6d Jonah: I will carry the ladder.$$),
('Keeping a light that nobody needs', $$
50min Ada: I steer by it. Officially I have satellites.
2h Ingrid: I know. I see your bow turn.
10d Petra: The shearwaters use it too, for what it is worth.
11d Olu: A hundred and nineteen steps: recorded every one.
12d Ada: Send me the tape for the crossing.
20d Tomás: Who checks the handrail? I could come on Thursday.
21d Ingrid: Thursday is good. Bring bread.
23d Noor: Somebody write this down.
24d Claire: C’est déjà écrit.
30d Mei: I read this one to my plants.
31d Ingrid: How did they take it?
280d Lucía: Can one visit?
281d Ingrid: Thursdays. Bring bread, it is the custom now.$$),
('Fog, in four kinds', $$
1d Petra: The gulls started walking here this morning.
26h Ingrid: Kettle. Now.$$),
('A logbook of small things', $$
3h Claire: “Bread good.” I have nothing to add.
1d Noor: Would you print the column, alone?
2d Ingrid: I am thinking about it. See my drafts, if you could see my drafts.
3d Ada: What does one have to do to get a “very good”?
74h Ingrid: Arrive before noon.$$),
('You were told you could not', $$
5h Mei: My red pen teacher now reads this magazine. Hello, Mrs. Ito.
20d Jonah: I still cannot. But now I know who said so.
255d Lucía: It was my uncle.
256d Ravi: It is often the uncle. Thursdays at seven, room four.$$),
('The bug that counted from one', $$
3h Jonah: I have a clock like that. It strikes thirteen, and the family would miss it.
4h Ravi: Do you have a test for it?
5h Jonah: The dog.
2d Ada: My recipes all count from one, and look at my loaves.
3d Tomás: A comment that says why. I have put this on our office door.$$),
('Proof by bread', $$
1h Ada: I did not say that I was not convinced. I said that it was not sliced.
2h Ravi: Objection noted.
3h Ada: And the crumbs are mine.
1d Noor: Please take this outside, both of you.$$),
('Counting what flies away', $$
9h Ingrid: Forty-one on the north rock on Sunday. One was arguing.
10h Petra: I will write down forty and a half.
3d Mei: Thank you for counting anyway.$$),
('The heron on platform two', $$
3h Olu: So it IS your station.
4h Petra: I have said nothing.
2d Jonah: A better timekeeper than I am.$$),
('A field guide to brown ones', $$
6h Mei: Learn one. That is good advice for most things.
2d Lucía: I have chosen the wren.
50h Petra: A wise choice. It walks like a mouse with a plan.$$),
('Why I am late', $$
8h Noor: The text was due in March.
30h Jonah: By which clock?
31h Ravi: He has a point, mathematically.$$),
('Time zones, for clockmakers', $$
2h Ravi: “Move only the hands.” May I have that for Thursday?
9h Ada: As the customer in question: the rolls were excellent. Both times.
10h Jonah: I was not going to say who it was.$$),
('The pendulum and the lorry', $$
1h Tomás: So it was a lorry, this time.
5h Jonah: I waited ten days to say that.
7h Olu: Otters do not deliver milk.$$),
('A year of letters to the editor', $$
2h Petra: You are wrong about the gulls.
3h Noor: There it is.
5d Tomás: Nine pages was me. I can send the appendix.$$),
('A map for people who look up', $$
30min Samir: No north here either. I approve.
2h Tomás: Every arrow follows the water. I have goose bumps, if that is the word.
3h Petra: Swan bumps, at this time of year.$$)
) as threads (title, thread)
cross join string_to_table(btrim(thread, e'\n'), e'\n') as line
cross join regexp_match(line, '^(\S+) (\S+): (.+)$') as said
left join app_public.posts using (title)
order by said_at;

-- Reads of the three weeks after publication, fewer each day. A post with more comments has more.
insert into app_private.post_reads (post_id, day, reads)
select id, (published_at at time zone 'UTC')::date + age, (9 + 4 * comments) / (1 + age)
from app_public.posts
cross join lateral (select count(*) as comments from app_public.comments where post_id = posts.id) as said
cross join generate_series(0, 20) as age
where status = 'PUBLISHED' and (published_at at time zone 'UTC')::date + age <= (now() at time zone 'UTC')::date;

-- Follows that readers ended, `days` ago.
insert into app_private.unfollows (author_id, day)
select id, (now() at time zone 'UTC')::date - days
from (values ('Ada', 171), ('Tomás', 88), ('Claire', 72), ('Ada', 65), ('Samir', 41), ('Ravi', 12)) as ended (author, days)
join sample_people on first_name = author;

-- Two chats: an untitled one with two members, and one with five. Messages are minutes old, oldest first.
insert into app_public.chats (title, created_at)
values (null, now() - interval '60 days'), ('The bridge at 3:14', now() - interval '8 days');

create temporary table sample_chats on commit drop as
select id, title, created_at from app_public.chats;

insert into app_public.chat_members (chat_id, user_id, joined_at)
select sample_chats.id, sample_people.id, sample_chats.created_at
from (values ('The bridge at 3:14', '{Tomás,Olu,Ravi,Noor,Jonah}'), (null, '{Ada,Ingrid}')) as rooms (title, members)
left join sample_chats on sample_chats.title is not distinct from rooms.title
cross join unnest(members::text[]) as member
left join sample_people on first_name = member;

insert into app_public.messages (chat_id, sender_id, text, created_at)
select sample_chats.id, (select id from sample_people where first_name = sender), text, now() - minutes * interval '1 minute'
from (values
  ('The bridge at 3:14', 9000, 'Tomás',  'Is everyone here? I have the recording from last night.'),
  ('The bridge at 3:14', 8998, 'Olu',    'Headphones on.'),
  ('The bridge at 3:14', 8995, 'Tomás',  'At 3:14 there is a tick that the thermometer does not explain.'),
  ('The bridge at 3:14', 8990, 'Ravi',   'Three of them last night, two the night before. Not enough for a distribution.'),
  ('The bridge at 3:14', 8988, 'Jonah',  'Lorry.'),
  ('The bridge at 3:14', 8987, 'Tomás',  'There is still no road, Jonah.'),
  ('The bridge at 3:14', 8985, 'Jonah',  'A boat, then. With a lorry on it.'),
  ('The bridge at 3:14', 8970, 'Olu',    'Listen again at 3:14:20. That is breathing.'),
  ('The bridge at 3:14', 8961, 'Noor',   'Please let it be printable.'),
  ('The bridge at 3:14', 6010, 'Tomás',  'I put a camera there.'),
  ('The bridge at 3:14', 4500, 'Tomás',  '🦦'),
  ('The bridge at 3:14', 4495, 'Ravi',   'I withdraw my model.'),
  ('The bridge at 3:14', 4490, 'Olu',    'I knew that it was breathing!'),
  ('The bridge at 3:14', 4480, 'Noor',   'Front page. Who writes it?'),
  ('The bridge at 3:14', 4470, 'Jonah',  'I could have it ready by Friday.'),
  ('The bridge at 3:14', 4469, 'Noor',   'By which clock?'),
  (null,                 2900, 'Ada',    'Crossing on Saturday if the wind holds. Bread?'),
  (null,                 2890, 'Ingrid', 'Always. The rye, if there is any.'),
  (null,                 2880, 'Ada',    'Two loaves. And do you need paint?'),
  (null,                 2870, 'Ingrid', 'White. I am ashamed to ask again.'),
  (null,                 2860, 'Ada',    'I like asking for it. They think I have a lighthouse.'),
  (null,                  600, 'Ingrid', 'The fourth fog this morning. Wait for noon.'),
  (null,                  590, 'Ada',    'Are the gulls walking?'),
  (null,                  585, 'Ingrid', 'Strolling.'),
  (null,                  580, 'Ada',    'Noon, then.')
) as talk (title, minutes, sender, text)
left join sample_chats on sample_chats.title is not distinct from talk.title
order by minutes desc;

commit;
