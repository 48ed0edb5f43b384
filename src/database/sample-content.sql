-- Something to look at: what the embedded database holds after its first start. A small magazine, its writers and their
-- talk. Times are told from now, so that a feed always looks alive. Nobody has a password yet: see npm run token.
begin;

insert into app_public.users (name, bio, role, created_at)
select name, bio, role::app_public.user_role, now() - days * interval '1 day'
from (values
  ('Ada Lindqvist',   'Bakes, sails, and writes down what went wrong.', 'USER', 400),
  ('Tomás Herrera',   'Engineer of small bridges. Photographs the large ones.', 'USER', 390),
  ('Mei Nakamura',    'Gardens on a balcony of four square metres.', 'USER', 371),
  ('Olu Adeyemi',     'Radio maker. Collects the sounds of stations at night.', 'USER', 352),
  ('Claire Fontaine', 'Traductrice, et marcheuse le reste du temps.', 'USER', 340),
  ('Samir Haddad',    'أكتب عن المدن القديمة وعن القهوة.', 'USER', 322),
  ('Ingrid Solberg',  'Keeps a lighthouse that no longer needs keeping.', 'USER', 300),
  ('Ravi Menon',      'Teaches mathematics to people who were told they could not.', 'USER', 280),
  ('Noor Rahman',     'Edits this place, and answers its mail.', 'ADMIN', 410),
  ('Petra Novak',     'Counts birds on Sundays.', 'USER', 200),
  ('Jonah Whitfield', 'Repairs clocks. Is often late.', 'USER', 150),
  ('Lucía Bianchi',   'New here.', 'USER', 20)
) as people (name, bio, role, days);
update app_public.users set avatar = 'https://example.com/avatars/' || id || '.png' where id <> 12;
insert into app_private.accounts (user_id, email)
select id, lower(app_hidden.unaccent(split_part(name, ' ', 1))) || '@example.com' from app_public.users;

-- Who reads whom, unevenly: nine read Ada, nobody reads Lucía yet.
insert into app_public.follows (follower_id, followed_id)
select follower, followed
from (values
  (1, array[2, 3, 7, 10]), (2, array[1, 8]), (3, array[1, 6, 10]), (4, array[1, 2, 5, 6, 7]), (5, array[1, 6]),
  (6, array[1, 5, 4]), (7, array[1, 10]), (8, array[2, 1]), (9, array[1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
  (10, array[7, 3]), (11, array[1, 8]), (12, array[2, 4])
) as readers (follower, followed_by_them), unnest(followed_by_them) as followed;

-- Posts. `days` is their age; those without a publication are drafts.
create temporary table sample_posts (author_id int, days numeric, is_draft boolean, title text, tags text[], content text) on commit drop;
insert into sample_posts values
(1, 360, false, 'The loaf that would not rise', '{bread,failure}',
$$I had done everything right. The starter was three days old and smelled of apples, the flour came from a mill I could see from the window, and the kitchen was warm for once. By evening the dough lay in its basket like a stone in a hat.

What I had forgotten was salt, or rather what I had remembered twice. Yeast can bear a great deal, but not the sea. I baked it all the same and we fed it to the gulls, who were polite about it.$$),
(1, 301, false, 'How to read a tide table', '{sailing,craft}',
$$A tide table is a promise made by the moon and kept, more or less, by the water. The first column is the day, the second the hour, and the third how much of the harbour you will be able to use.

The rule of twelfths does the rest. In the first hour after low water a twelfth of the range comes in, in the second two twelfths, in the third and fourth three each, and then it slows again. Learn it once and you will never again sit on a sandbank at lunch, waiting.$$),
(1, 214, false, 'Salt, patience and the second rise', '{bread,craft}',
$$People ask how long the second rise takes. It takes until it is done, which is an answer nobody likes and every baker gives. Press the dough with a wet finger: if it springs back at once it is young, if it does not spring back it is old, and if it thinks about it first it is ready.

I have stopped setting a timer. I put the kettle on instead, and by the time I have forgotten why, the loaf has usually made up its mind.$$),
(1, 120, false, 'Alone across the sound', '{sailing,sea}',
$$The forecast said four, gusting five, and the sky agreed. I reefed before I cast off, because the best time to reef is when you first think of it and the second best was ten minutes ago.

Halfway over, the ferry passed and someone waved. I waved back with the hand I could spare. There is a kind of loneliness that is only quiet, and I came home with a whole afternoon of it.$$),
(1, 31, false, 'A rye for dark mornings', '{bread,winter}',
$$Rye does not want to be kneaded. It wants to be stirred, insulted a little, and left alone overnight. In the morning it will have filled the tin and cracked along the top like a dry riverbed.

Slice it thin on the second day, never on the first. The first day is only for smelling it.$$),
(1, 3, false, 'Notes from a week without wind', '{sailing,slow}',
$$Five days of flat water. We rowed out in the evening and let the boat lie, and the cliffs stood on their heads beneath us.

On the sixth day a line of ripples came in from the west, and nobody said anything. We were almost sorry.$$),
(2, 350, false, 'What a bridge says at night', '{bridges,sound}',
$$Steel shortens when it cools. By two in the morning the old railway bridge has lost four millimetres, and it tells you so: a tick, a groan, a long pause, a tick. I sat under it with a thermos and a microphone and wrote down the times.

The intervals follow the temperature almost exactly. The almost is what I went back for.$$),
(2, 250, false, 'Small bridges, large opinions', '{bridges,craft}',
$$Nobody writes to the council about a large bridge. It is there, like weather. But move a footbridge three metres downstream and you will hear from people who have crossed it once, in 1987, in the rain.

They are right to write. A small bridge is the shape of a habit, and you should ask before you move one.$$),
(2, 140, false, 'Photographing concrete', '{bridges,photography}',
$$Concrete is never grey. It is the colour of the sand it was made from and of the sky that it stands under, and in the last hour of light it goes briefly the pink of the inside of a shell.

Use a long lens and wait for a cyclist. A bridge with nobody on it is only a drawing of a bridge.$$),
(2, 12, false, 'The arithmetic of arches', '{bridges,mathematics}',
$$Hang a chain from two nails and look at its curve. Turn the picture upside down and you have the arch that stands with the least effort. Hooke knew it in 1675 and hid it in an anagram, so that nobody would build one before he had.

Every arch I have drawn since begins with a chain on the office wall. The cleaner thinks that it is art.$$),
(3, 330, false, 'ベランダの四平方メートル', '{gardens,日本語}',
$$ベランダは四平方メートルしかありません。それでも、トマトが三本、紫蘇が一列、そして名前を知らない花がひとつあります。

朝、水をやりながら、下の通りを歩く人の傘を数えます。雨の日は、花よりも傘のほうがたくさん咲いています。$$),
(3, 240, false, 'Tomatoes on the fourth floor', '{gardens,food}',
$$The bees found us in the second week of June. Four floors up, over a road with two bus lines, they came for three tomato plants in buckets. I counted eleven before breakfast.

Water in the morning, never on the leaves. Pinch out the side shoots while you wait for the coffee. Apologise to the neighbour below.$$),
(3, 90, false, 'The seed drawer', '{gardens,slow}',
$$There is a drawer in my kitchen that I do not open between October and February. It holds forty paper envelopes, each with a name and a year in my grandmother's hand or in mine, and by winter I no longer remember whose is whose.

In March I open it and everything is possible. That is all gardening is, I sometimes think: a drawer, and the patience not to open it.$$),
(3, 8, false, 'Moss is not a problem', '{gardens,rain}',
$$You can buy nine products against moss and not one for it. Yet it asks for nothing: no soil, no shears, no opinion. It came to the north side of the balcony by itself and has made it, without any help, the most beautiful thing I own.$$),
(4, 345, false, 'The sound of a waiting room', '{sound,trains}',
$$Every station at night has the same three sounds and mixes them differently. There is the hum of the lamps, the wheel of one suitcase, and somebody explaining something on a telephone. I have recorded two hundred and six of them.

The best is in a town whose name I promised not to tell. Its waiting room has a piano, and at twenty past one somebody always plays half a waltz, then leaves for the train.$$),
(4, 230, false, 'How to record rain', '{sound,rain,craft}',
$$Rain has no sound. What you hear is the roof. So before you choose a microphone, choose what it should fall on: tin for a story, leaves for a memory, an umbrella for dialogue.

Record ten minutes more than you need. The good minute is always the one after you have decided that you have enough. 🌧️$$),
(4, 130, false, 'Night train to nowhere in particular', '{trains,slow}',
$$I bought the ticket for the length of the journey and not for its end. Eleven hours, one change, no view after ten. The conductor asked whether I was going to see family, and I said that I was going to see the train.

He sat down across from me at three in the morning and told me about the winter of the long snow. I did not record it. Some things are better kept badly.$$),
(4, 15, false, 'In praise of bad microphones', '{sound,craft}',
$$The cheapest microphone I own makes every voice sound as if it came from 1962, through a wall. I use it for anything that is true.

A good microphone tells you what was in the room. A bad one tells you that somebody was.$$),
(5, 325, false, 'Traduire le silence', '{mots,français}',
$$Il y a dans le texte une ligne blanche. L'auteur ne l'explique pas, l'éditeur voulait la supprimer, et moi je dois la traduire. Comment dit-on une ligne blanche dans une autre langue ?

J'ai fini par la laisser telle quelle. C'est la seule phrase du livre dont je sois tout à fait sûre.$$),
(5, 215, false, 'Words that do not travel', '{mots,language}',
$$Every translator keeps a list of words that arrive broken. Mine begins with dépaysement, the feeling of being pleasantly lost in somebody else's country, and ends, this week, with a Norwegian word for the shiver of snow that is about to melt.

You do not translate them. You build a small house around them in the new language and hope that the reader comes in.$$),
(5, 110, false, 'Le sentier des douaniers', '{marche,français,sea}',
$$Douze kilomètres entre la mer et les ajoncs. Les douaniers y guettaient les contrebandiers ; nous n'y guettons plus que la pluie, qui arrive d'ailleurs avec la même ponctualité.

Emportez du pain, un couteau, et quelqu'un qui ne parle pas trop.$$),
(5, 20, false, 'The dictionary in the attic', '{language,slow}',
$$My grandfather's dictionary has a pressed fern at the letter F and a bus ticket at the letter M. I look things up in it only to find out where he was when he stopped reading.

It lacks every word that has been made since 1951. I have not yet needed one of them while holding it.$$),
(6, 310, false, 'قهوة الصباح في المدينة القديمة', '{مدن,قهوة}',
$$في المدينة القديمة لا يسألك أحد كيف تريد قهوتك. ينظر إليك صاحب المقهى مرة واحدة، ثم يقرر. وفي كل صباح يكون على حق.

أجلس عند الباب حيث يمر الخبز والجرائد والأطفال. المدينة كلها تمر من هنا قبل التاسعة، وما لا يمر لم يحدث.$$),
(6, 205, false, 'A city measured in stairs', '{cities,walking}',
$$The old quarter has no street numbers. You are told: up the forty steps, left at the fig tree, then up until you are out of breath. Everybody who lives here has strong legs and short sentences.

I once tried to draw a map of it and gave up at the third level. It is not a place that can be seen from above. It has to be climbed.$$),
(6, 100, false, 'Cardamom, or the argument', '{coffee,food}',
$$My aunt puts cardamom into coffee and my uncle takes it out again, pod by pod, with a spoon, in silence. They have been married for forty-one years. ☕

I have come to believe that the argument is the recipe.$$),
(6, 10, false, 'The last sign painter', '{cities,craft}',
$$He holds the brush as if it might fly away. The letters come out of his wrist in one breath, thick and thin, and when I ask how he spaces them he says: until they stop quarrelling.

There were thirty of them on this street. Now there is one, and a shop that prints vinyl, and the shop has asked him for his alphabet. He is thinking about it.$$),
(7, 295, false, 'Keeping a light that nobody needs', '{lighthouse,sea}',
$$The lamp has been automatic since 1984 and the ships have satellites. I am paid, a little, to keep the paint white. All the same I climb the hundred and nineteen steps each evening and look whether it is turning.

It always is. I think of it as a conversation that we are both too polite to end.$$),
(7, 180, false, 'Fog, in four kinds', '{lighthouse,weather}',
$$There is the fog that comes in from the sea like a guest, the one that rises from the grass like a debt, the one that is only cloud which has lost its way, and the one that you notice when the gulls start walking.

Only the last is dangerous. If the birds will not fly, put the kettle on.$$),
(7, 60, false, 'A logbook of small things', '{lighthouse,slow}',
$$The regulations ask for wind, sea, visibility and lamp. My predecessor added a fifth column and never gave it a name. Seal on the slip. Letter from M. First swallow. Bread good.

I have kept it going. It is the only column that anyone has ever asked to read.$$),
(8, 270, false, 'You were told you could not', '{mathematics,teaching}',
$$On the first evening I ask them to write down who told them. It is never a theorem. It is a teacher with a red pen, an uncle at a table, a timetable of exams. I collect the papers and we burn them in the yard, and then we add fractions.

By the sixth week somebody always says: is that all it was? Yes. That is all it was.$$),
(8, 160, false, 'Zero, a late guest', '{mathematics,history}',
$$For a very long time people could count everything except nothing. They built temples and calendars and taxes without it, leaving a gap in the column where we put a ring.

When at last it arrived it was treated as what it was: a guest who had brought no present and stayed for good.$$),
(8, 45, false, 'Proof by bread', '{mathematics,bread}',
$$Cut a loaf in half, then the half in half, then again. You will never run out of bread and you will never have eaten it all, and yet the crumbs add up to exactly one loaf.

My students found this convincing. My baker, who reads these pages, did not. 🍞$$),
(10, 190, false, 'Counting what flies away', '{birds,sundays}',
$$You do not count birds. You count the ones that you saw, correct for the ones that you did not, and then argue with the person beside you about the gull. On a good Sunday we agree to within ten in a hundred.

The numbers go to an office in the capital, where somebody I have never met has been drawing the same line for thirty years. It goes down. We count anyway.$$),
(10, 95, false, 'The heron on platform two', '{birds,trains}',
$$It stands at the end of platform two, where the canal goes under the line, and leaves when the 7:42 arrives. The regulars set their watches by it. When the timetable changed in December it was late for three days, and then it was not.$$),
(10, 5, false, 'A field guide to brown ones', '{birds,failure}',
$$Beginners learn the kingfisher in an afternoon. It takes ten years to learn the brown ones. They are all the same size, they are all behind a leaf, and the book shows each of them from the side that you did not see.

My advice: learn one. Learn it until you would know its walk. Then everything else is not that one, and you have begun.$$),
(11, 135, false, 'Why I am late', '{clocks,failure}',
$$I have eleven clocks in the workshop, and each of them is right in its own way. The one from the town hall loses a minute a week and has done so since the war. The carriage clock gains when it is admired.

So when you ask me for the time, I have to ask you: whose?$$),
(11, 25, false, 'The pendulum and the lorry', '{clocks,craft}',
$$For a month the long-case clock stopped every night at ten past four. I took it apart three times. Then I slept in the workshop, and at ten past four the milk lorry went by, and the floor moved, and the pendulum touched the case.

I shifted the clock by a hand's breadth. The best repair I ever made, and nothing to show for it.$$),
(9, 330, false, 'What we print here', '{editorial}',
$$We print what its writer could not stop thinking about. It need not be new and it need not be long. We would rather have one good paragraph about moss than a thousand fair words about everything.

If you are not sure whether it is finished, send it. We are not sure either, and two people who are not sure can get quite far.$$),
(9, 40, false, 'A year of letters to the editor', '{editorial,slow}',
$$Four hundred and twelve letters. The bread wins, as always, ahead of the birds; the piece about footbridges drew one letter of nine pages, with drawings. Two readers met through the comments below the night train and have written to say that they are taking it together. 💌

Thank you. Keep writing, and tell us when we are wrong about the gulls.$$),
(1, 6, true, 'On being becalmed', '{sailing}', $$An idea about patience that is not finished. Come back to it after the weekend.$$),
(2, 30, true, 'Seven bridges, again', '{bridges,mathematics}', $$Walk all seven without crossing one twice. Show the picture first, then the proof, or the other way around?$$),
(4, 2, true, 'Two hundred and seven', '{sound,trains}', $$The new recording from the border station. Ask the stationmaster before this goes out.$$),
(5, 14, true, 'Brouillon', '{français}', $$Quelques notes sur le mot brouillon, qui a donné brouillard, ou l'inverse.$$),
(7, 1, true, 'The fifth column', '{lighthouse}', $$All entries of one winter, without comment. Is that a text?$$),
(8, 50, true, 'Infinity for the impatient', '{mathematics,teaching}', $$Begin with the hotel. Everybody begins with the hotel. Begin with something else.$$),
(12, 2, true, 'My first post', '{}', $$I do not know yet what I want to write about, but I wanted to see what the box looks like.$$);

with ordered as (select *, now() - days * interval '1 day' as time from sample_posts),
inserted as (
  insert into app_public.posts (author_id, title, content, status, published_at, created_at, updated_at)
  select author_id, title, content,
         (case when is_draft then 'DRAFT' else 'PUBLISHED' end)::app_public.post_status,
         case when not is_draft then time end,
         time - interval '9 hours', time
    from ordered order by time
  returning id, title
)
select count(*) from inserted;
select app_hidden.set_post_tags(posts.id, sample.tags) from app_public.posts join sample_posts sample using (title) order by posts.id;
update app_public.posts set updated_at = coalesce(published_at, created_at);

-- Comments: threads in which people answer each other, hours apart.
insert into app_public.comments (post_id, author_id, text, created_at)
select posts.id, said.author, said.text, least(posts.published_at + said.place * interval '3 hours 20 minutes', now() - interval '1 minute')
from (values
  ('The loaf that would not rise', array[8, 1, 11, 3, 9, 1], array[
    'Did the gulls come back the next day?', 'Every day since. I have made an enemy of the harbour master.',
    'I once forgot the flour. Nobody believes me.', 'What did you do with the starter?', 'This is why we print failures.', 'It lives. It is called Gertrude.']),
  ('How to read a tide table', array[7, 1, 10, 7], array[
    'The rule of twelfths has kept this rock dry for a century.', 'Coming from you that is a compliment.', 'Also works for counting waders. They follow the water out.', 'Then we should print it on both doors.']),
  ('Salt, patience and the second rise', array[3, 8, 1], array['“Thinks about it first” is exactly it.', 'Is there a proof?', 'Only pudding.']),
  ('Alone across the sound', array[7, 1, 4, 5], array['I saw you from the gallery. Well reefed.', 'That was you waving?', 'What did it sound like?', 'Ne changez rien à la dernière phrase.']),
  ('A rye for dark mornings', array[2, 1, 11, 2, 6], array['How thin is thin?', 'You should be able to read a headline through it.', 'I ate it on the first day. I am not sorry.', 'You are never sorry.', 'With cardamom butter, perhaps.']),
  ('Notes from a week without wind', array[7, 4, 1], array['Here too. Even the flag gave up.', 'Can I come and record that?', 'There is nothing to hear. So yes.']),
  ('What a bridge says at night', array[4, 2, 4, 8, 2, 11, 9, 4, 2], array[
    'Please tell me that you kept the tape.', 'Eleven hours of it.', 'I am coming over.', 'What is the “almost”?', 'About three ticks a night that temperature does not explain.',
    'A lorry, I would bet.', 'This thread is better than our last issue.', 'It was not a lorry. We listened.', 'It was an otter. There is a photograph.']),
  ('Small bridges, large opinions', array[10, 2, 6], array['It was me, in 1987. It was raining very hard.', 'We have moved it back.', 'Stairs are only bridges that have made up their minds.']),
  ('The arithmetic of arches', array[8, 2, 1, 8], array['I am stealing the chain for Tuesday’s class.', 'Use a necklace, it hangs better.', 'Does it work for bread?', 'Everything works for bread.']),
  ('ベランダの四平方メートル', array[5, 3, 12], array['Les parapluies qui fleurissent, quelle image.', 'ありがとうございます。雨の季節にまた書きます。', 'I had to look up 紫蘇 and now I want some.']),
  ('Tomatoes on the fourth floor', array[10, 3, 9], array['Eleven bees before breakfast is a good count.', 'Fourteen today.', 'The neighbour below has written to us. She says thank you.']),
  ('Moss is not a problem', array[7, 3, 11], array['It is if you are paid to keep the paint white.', 'Then I am sorry for your paint.', 'There is some in my cuckoo clock. The cuckoo looks happier.']),
  ('The sound of a waiting room', array[5, 4, 10, 12, 4], array['Half a waltz! And the other half?', 'I believe somebody plays it at the next station.', 'Is it the one with the heron?', 'Please tell us the town.', 'I promised.']),
  ('How to record rain', array[3, 4, 7], array['What does moss sound like?', 'Like the absence of a roof.', 'Come for the fourth kind of fog some time.']),
  ('Night train to nowhere in particular', array[10, 12, 4, 9], array['I know that conductor.', 'I bought the same ticket after reading this. It was the best night of my year.', 'Did he tell you about the snow?', 'See the letters column.']),
  ('In praise of bad microphones', array[2, 11, 4], array['Mine is a nail and a tin.', 'My telephone, then, is a work of art.', 'It is. Call me.']),
  ('Traduire le silence', array[6, 5], array['في العربية نترك السطر أبيض أيضا.', 'Alors nous nous comprenons.']),
  ('Words that do not travel', array[7, 5, 6, 3], array['The word is “kram”, nearly. Nearly is the problem.', 'Nearly is the whole profession.', 'We have one for the coffee that you are offered so that you stay.', 'And we one for the light between leaves.']),
  ('قهوة الصباح في المدينة القديمة', array[5, 6, 9], array['On sent l’odeur d’ici.', 'تفضلي، الباب مفتوح.', 'We should hold the next meeting there.']),
  ('A city measured in stairs', array[2, 6], array['Forty steps at what height of riser? I ask for work.', 'Every one different. It keeps the tourists honest.']),
  ('Cardamom, or the argument', array[1, 8, 6], array['My vote is with the aunt.', 'Mine is with the spoon.', 'They have both read this. They disagree with it.']),
  ('The last sign painter', array[11, 3, 6, 9, 11], array['He painted my shop in 1999. Not a letter has faded.', '“Until they stop quarrelling.”', 'He has decided: no.', 'May we print his alphabet, then, if he paints it himself?', 'I will carry the ladder.']),
  ('Keeping a light that nobody needs', array[1, 7, 12, 10, 4, 1, 2, 7, 9, 5, 3, 7], array[
    'I steer by it. Officially I have satellites.', 'I know. I see your bow turn.', 'Can one visit?', 'The shearwaters use it too, for what it is worth.', 'A hundred and nineteen steps: recorded every one.',
    'Send me the tape for the crossing.', 'Who checks the handrail? I could come on Thursday.', 'Thursday is good. Bring bread.', 'Somebody write this down.', 'C’est déjà écrit.', 'I read this one to my plants.', 'How did they take it?']),
  ('Fog, in four kinds', array[10, 7], array['The gulls started walking here this morning.', 'Kettle. Now.']),
  ('A logbook of small things', array[5, 9, 7], array['“Bread good.” I have nothing to add.', 'Would you print the column, alone?', 'I am thinking about it. See my drafts, if you could see my drafts.']),
  ('You were told you could not', array[12, 8, 3, 11], array['It was my uncle.', 'It is often the uncle. Thursdays at seven, room four.', 'My red pen teacher now reads this magazine. Hello, Mrs. Ito.', 'I still cannot. But now I know who said so.']),
  ('Proof by bread', array[1, 8, 1, 9], array['I did not say that I was not convinced. I said that it was not sliced.', 'Objection noted.', 'And the crumbs are mine.', 'Please take this outside, both of you.']),
  ('Counting what flies away', array[7, 10, 3], array['Forty-one on the north rock on Sunday. One was arguing.', 'I will write down forty and a half.', 'Thank you for counting anyway.']),
  ('The heron on platform two', array[4, 10, 11], array['So it IS your station.', 'I have said nothing.', 'A better timekeeper than I am.']),
  ('A field guide to brown ones', array[3, 12, 10], array['Learn one. That is good advice for most things.', 'I have chosen the wren.', 'A wise choice. It walks like a mouse with a plan.']),
  ('Why I am late', array[9, 11, 8], array['The text was due in March.', 'By which clock?', 'He has a point, mathematically.']),
  ('The pendulum and the lorry', array[2, 11, 4], array['So it was a lorry, this time.', 'I waited a year to say that.', 'Otters do not deliver milk.']),
  ('A year of letters to the editor', array[10, 9, 2], array['You are wrong about the gulls.', 'There it is.', 'Nine pages was me. I can send the appendix.'])
) as threads (title, authors, texts)
join app_public.posts using (title),
lateral unnest(threads.authors, threads.texts) with ordinality as said (author, text, place)
order by posts.published_at, said.place;

-- Two chats: one with a name, one of two people that needs none.
insert into app_public.chats (title, created_at) values ('The bridge and the otter', now() - interval '40 days'), (null, now() - interval '9 days');
insert into app_public.chat_members (chat_id, user_id, joined_at)
select chat, member, now() - interval '9 days' from (values (1, array[2, 4, 8, 9, 11]), (2, array[1, 7])) as rooms (chat, members), unnest(members) as member;
insert into app_public.messages (chat_id, sender_id, text, created_at)
select chat, sender, text, now() - minutes * interval '1 minute'
from (values
  (1, 2, 'Is everyone here? I have the recording from last night.', 9000), (1, 4, 'Headphones on.', 8998),
  (1, 2, 'At 3:14 there is a tick that the thermometer does not explain.', 8995), (1, 8, 'Three of them last night, two the night before. Not enough for a distribution.', 8990),
  (1, 11, 'Lorry.', 8988), (1, 2, 'There is no road, Jonah.', 8987), (1, 11, 'A boat, then. With a lorry on it.', 8985),
  (1, 4, 'Listen again at 3:14:20. That is breathing.', 8970), (1, 9, 'Please let it be printable.', 8961),
  (1, 2, 'I put a camera there.', 6010), (1, 2, '🦦', 4500), (1, 8, 'I withdraw my model.', 4495), (1, 4, 'I knew that it was breathing!', 4490),
  (1, 9, 'Front page. Who writes it?', 4480), (1, 11, 'I could have it ready by Friday.', 4470), (1, 9, 'By which clock?', 4469),
  (2, 1, 'Crossing on Saturday if the wind holds. Bread?', 2900), (2, 7, 'Always. The rye, if there is any.', 2890),
  (2, 1, 'Two loaves. And do you need paint?', 2880), (2, 7, 'White. I am ashamed to ask again.', 2870), (2, 1, 'I like asking for it. They think I have a lighthouse.', 2860),
  (2, 7, 'The fourth fog this morning. Wait for noon.', 600), (2, 1, 'Are the gulls walking?', 590), (2, 7, 'Strolling.', 585), (2, 1, 'Noon, then.', 580)
) as talk (chat, sender, text, minutes)
order by chat, minutes desc;

commit;
