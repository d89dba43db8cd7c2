-- WHAT ALL STREAMERS SHARE: secrets and reference data.

-- Secrets that all processes share, such as the key that signs cursors.
create table shared_secrets (
  name text primary key,
  value bytea not null -- its first byte says how it is kept
);

-- What streams can be about: reference data, changed by migrations only.
create table streaming_categories (
  id text primary key,
  position integer not null constraint streaming_categories_position unique, -- the order of lists
  name_th text not null,
  name_en text not null
);
insert into streaming_categories (id, position, name_th, name_en) values
  ('just-chatting', 10, 'พูดคุยทั่วไป', 'Just Chatting'),
  ('rov', 20, 'อารีน่า ออฟ เวเลอร์ (RoV)', 'Arena of Valor (RoV)'),
  ('valorant', 30, 'วาโลแรนต์', 'VALORANT'),
  ('free-fire', 40, 'ฟรีไฟร์', 'Garena Free Fire'),
  ('pubg-mobile', 50, 'พับจีโมบายล์', 'PUBG Mobile'),
  ('pubg-battlegrounds', 60, 'พับจี แบทเทิลกราวดส์', 'PUBG: BATTLEGROUNDS'),
  ('league-of-legends', 70, 'ลีกออฟเลเจนส์', 'League of Legends'),
  ('mobile-legends', 80, 'โมบายล์ เลเจนด์ส', 'Mobile Legends: Bang Bang'),
  ('dota-2', 90, 'โดต้า 2', 'Dota 2'),
  ('counter-strike-2', 100, 'เคาน์เตอร์-สไตรก์ 2', 'Counter-Strike 2'),
  ('gta-v', 110, 'จีทีเอ 5', 'Grand Theft Auto V'),
  ('minecraft', 120, 'มายคราฟ', 'Minecraft'),
  ('roblox', 130, 'โรบล็อกซ์', 'Roblox'),
  ('genshin-impact', 140, 'เก็นชินอิมแพกต์', 'Genshin Impact'),
  ('honkai-star-rail', 150, 'ฮงไก สตาร์เรล', 'Honkai: Star Rail'),
  ('ragnarok-online', 160, 'แร็กนาร็อกออนไลน์', 'Ragnarok Online'),
  ('ea-sports-fc', 170, 'อีเอ สปอร์ตส์ เอฟซี', 'EA Sports FC'),
  ('efootball', 180, 'อีฟุตบอล', 'eFootball'),
  ('fortnite', 190, 'ฟอร์ตไนต์', 'Fortnite'),
  ('apex-legends', 200, 'เอเพ็กซ์ เลเจนด์ส', 'Apex Legends'),
  ('teamfight-tactics', 210, 'ทีมไฟต์ แทคติกส์', 'Teamfight Tactics'),
  ('dead-by-daylight', 220, 'เดดบายเดย์ไลต์', 'Dead by Daylight'),
  ('elden-ring', 230, 'เอลเดนริง', 'Elden Ring'),
  ('pokemon', 240, 'โปเกมอน', 'Pokémon'),
  ('horror-games', 250, 'เกมสยองขวัญ', 'Horror Games'),
  ('indie-games', 260, 'เกมอินดี้', 'Indie Games'),
  ('retro-games', 270, 'เกมย้อนยุค', 'Retro Games'),
  ('board-games', 280, 'บอร์ดเกม', 'Board Games'),
  ('esports', 290, 'อีสปอร์ต', 'Esports'),
  ('irl', 300, 'ชีวิตจริงนอกสถานที่', 'IRL'),
  ('music', 310, 'ดนตรี', 'Music'),
  ('singing', 320, 'ร้องเพลง', 'Singing'),
  ('dance', 330, 'เต้น', 'Dance'),
  ('art', 340, 'ศิลปะ', 'Art'),
  ('cooking', 350, 'ทำอาหาร', 'Cooking'),
  ('mukbang', 360, 'กินโชว์', 'Mukbang'),
  ('travel', 370, 'ท่องเที่ยว', 'Travel'),
  ('sports', 380, 'กีฬา', 'Sports'),
  ('muay-thai', 390, 'มวยไทย', 'Muay Thai'),
  ('fitness', 400, 'ออกกำลังกาย', 'Fitness and Health'),
  ('education', 410, 'การศึกษา', 'Education'),
  ('software-development', 420, 'พัฒนาซอฟต์แวร์', 'Software and Game Development'),
  ('talk-shows', 430, 'ทอล์กโชว์และพอดแคสต์', 'Talk Shows and Podcasts'),
  ('asmr', 440, 'เอเอสเอ็มอาร์', 'ASMR'),
  ('vtuber', 450, 'วีทูบเบอร์', 'VTubers'),
  ('fortune-telling', 460, 'ดูดวง', 'Fortune Telling'),
  ('charity', 470, 'การกุศล', 'Charity'),
  ('animals', 480, 'สัตว์เลี้ยงและสัตว์โลก', 'Animals and Pets');
