// A history of any length, written into the tables directly: through the API five million donations would take most of an hour. Its names, messages and
// amounts are the same at every run.

import type pg from "pg";

type Donator = { name: string; key: string; identifier: string | null };

/** In 20 donations of each history, evenly spread, whatever its size. */
export const rare = { word: "ไดโนเสาร์", letter: "Ж", identifier: "bench-rare" };

/** In about every fourth message. */
export const common = { word: "ขอบคุณ", letter: "ก" };

/** Too rare to be met on the way: in about one donation of a hundred, and so in nine blocks of ten; in one of 3,000, a block of twelve. */
export const spread = { most: "เพลงนี้ lol", few: "2856" };

export const absent = "ไม่มีใครเขียนคำนี้";

export const roundAmounts = [
  20, 50, 100, 10, 30, 40, 99, 200, 500, 60, 25, 5, 69, 150, 300, 1000, 35, 45, 55, 70, 80, 90, 111, 120, 199, 222, 250, 333, 350, 400, 555,
  600, 700, 800, 999, 1500, 2000, 3000, 5000, 10000,
];

const thaiNames = ["สมชาย", "น้องแพรว", "พี่หมี", "ก้อง", "มะนาว", "ส้มโอ", "ต้นกล้า", "ฟ้าใส", "บอส", "ใบเตย"];
const latinNames = ["Mint", "nattapong", "Beam", "XxTiger", "Ploy", "James", "Oat", "kanda", "Boss", "Zen"];
const openings = ["ขอบคุณ", "สู้ๆ", "รักนะ", "กินข้าวยัง", "gg", "nice", "hello", "ขำมาก"];
const middles = ["พี่", "ครับ", "ค่ะ", "stream", "วันนี้", "from Chiang Mai", "เกม", "ทีม", "เพลงนี้", "นะคะ"];
const endings = ["555", "ตลอดไป", "❤️", "!!!", "lol", "ฝันดี", "เล่นต่อ", "good luck", "มาแล้ว", "50% จริงๆ"];

export function donators(): Donator[] {
  return Array.from({ length: 1_000 }, (_, index) => {
    const names = index % 3 === 0 ? latinNames : thaiNames;
    const name = `${names[index % names.length]} ${index}`;
    const identifier = index % 5 === 0 ? `user-${index}` : null;
    return { name, key: identifier ? `i:${identifier}` : `n:${name.toLowerCase()}`, identifier };
  });
}

/** Every tenth is empty. */
export function messages(count: number): string[] {
  const pick = (from: string[], index: number) => from[index % from.length] as string;
  return Array.from({ length: count }, (_, index) =>
    index % 10 === 9
      ? ""
      : [pick(openings, index), pick(middles, Math.floor(index / 8)), pick(endings, Math.floor(index / 80)), index % 7 ? "" : String(index)]
          .filter(Boolean)
          .join(" "),
  );
}

export type History = { handle: string; rows: number };

/** The same density for every size: a longer history reaches further back. */
export const secondsBetween = 300;

const chunk = 250_000;

/** The words that histories are made of, as temporary tables of this session. */
export async function prepareWords(client: pg.Client): Promise<void> {
  const people = donators();
  await client.query("create temporary table bench_donators (number int primary key, name text, key text, identifier text)");
  await client.query(
    "insert into bench_donators select ordinality - 1, name, key, identifier from unnest($1::text[], $2::text[], $3::text[]) with ordinality as d(name, key, identifier)",
    [people.map(({ name }) => name), people.map(({ key }) => key), people.map(({ identifier }) => identifier)],
  );
  await client.query("create temporary table bench_messages (number int primary key, message text)");
  await client.query("insert into bench_messages select ordinality - 1, message from unnest($1::text[]) with ordinality as m(message)", [
    messages(3_000),
  ]);
  await client.query("analyze bench_donators, bench_messages");
}

/**
 * Adds the streamer's donations. Its counter rises with each chunk, so that workers take up the first ones while the next are made. Nobody
 * else may record for this streamer meanwhile.
 */
export async function seed(client: pg.Client, { handle, rows }: History): Promise<void> {
  const streamer = await client.query<{ id: string }>("select streamer_id as id from streamer_handles where handle = $1", [handle]);
  const id = streamer.rows[0]?.id;
  for (let first = 1; first <= rows; first += chunk) {
    const last = Math.min(first + chunk - 1, rows);
    await client.query(donationsSql, [id, rows, Date.now(), secondsBetween * 1_000, roundAmounts, first, last]);
    await client.query(counterSql, [id]);
  }
  await client.query(alertsSql, [id]);
}

/** Adds streamers, each with a copy of the donations of this one, from which no worker may have taken anything up. */
export async function copyToOthers(client: pg.Client, { handle, others }: { handle: string; others: number }): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = 'donations'::regclass and attnum > 2 and not attisdropped",
  );
  const columns = rows.map(({ name }) => name).join(", ");
  const copied = columns.replaceAll(/\w+/g, "d.$&");
  await client.query(
    `with made as (
       insert into streamers (id, last_sequence, last_received_at)
       select gen_random_uuid(), last_sequence, last_received_at from streamers, generate_series(1, $2::int)
       where id = (select streamer_id from streamer_handles where handle = $1)
       returning id
     ),
     named as (
       insert into streamer_handles (handle, streamer_id) select 'crowd-' || row_number() over (), id from made
     )
     insert into donations (streamer_id, id, ${columns})
     select made.id, gen_random_uuid(), ${copied} from made, donations d where d.streamer_id = (select streamer_id from streamer_handles where handle = $1)`,
    [handle, others],
  );
  await client.query(
    `insert into alerts (streamer_id, donation_id, sequence, received_at, status, shown_at)
     select streamer_id, id, sequence, received_at, 'shown', received_at + interval '10 seconds'
     from donations where not skip_alert and streamer_id in (select streamer_id from streamer_handles where handle like 'crowd-%')`,
  );
}

/**
 * Runs `work` without the indexes that neither roll-ups nor search need, and makes them again, as a bulk load does: with them a row costs
 * three times as much.
 */
export async function withFewIndexes(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'donations'::regclass and not indisprimary and indexrelid <> 'donations_sequence'::regclass`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await work();
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { definition } of rows) await client.query(definition);
}

const counterSql = `
  update streamers s set last_sequence = d.sequence, last_received_at = d.received_at
  from (select sequence, received_at from donations where streamer_id = $1 order by sequence desc limit 1) d where s.id = $1`;

// $1 streamer, $2 rows in all, $3 now and $4 distance in milliseconds, $5 round amounts, $6 and $7 first and last number of this chunk.
// Hashes of the number instead of chance: every run is the same.
const donationsSql = `
  insert into donations (
    streamer_id, id, sequence, application_id, idempotency_key, donator_name, donator_key, amount, currency, message, identifier,
    skip_alert, source, channel, created_at, created_offset, received_at
  )
  select $1::uuid, (lpad(to_hex(ms), 12, '0') || '7' || substr(digest, 1, 3) || '8' || substr(digest, 4, 15))::uuid, n,
    '00000000-0000-7000-8000-000000000000', null, case when is_rare then 'Rare' else d.name end,
    case when is_rare then 'i:${rare.identifier}' else d.key end,
    case when by_amount < 0.95 then ($5::numeric[])[1 + floor(40 * power(by_amount / 0.95, 1.5))::int]
      else round((1 + 4999 * (by_amount - 0.95) / 0.05)::numeric, 2) end,
    'THB', case when is_rare then m.message || ' ${rare.word} ${rare.letter}' else m.message end,
    case when is_rare then '${rare.identifier}' else d.identifier end, by_flag < 0.02,
    case when by_source < 0.80 then 'external' when by_source < 0.98 then 'native' else 'test' end,
    case when by_source < 0.80 then 'external' when by_source < 0.90 then 'promptpay' when by_source < 0.94 then 'truemoney'
      when by_source < 0.96 then 'bank_transfer' when by_source < 0.9799 then 'card' else 'other' end,
    timestamptz 'epoch' + (ms - case when by_flag > 0.95 then floor(86400000 * (by_flag - 0.95) / 0.05) else 0 end) * interval '1 millisecond',
    null, timestamptz 'epoch' + ms * interval '1 millisecond'
  from (
    select n, $3::bigint - ($2::bigint - n) * $4::bigint - 1000 as ms, md5($1::text || n) as digest,
      n % greatest($2::bigint / 20, 1) = $2::bigint / 40 as is_rare,
      (hashint8extended(n, 1) & 1073741823) / 1073741824.0::float8 as by_donator,
      (hashint8extended(n, 2) & 1073741823) / 1073741824.0::float8 as by_amount,
      (hashint8extended(n, 3) & 1073741823) / 1073741824.0::float8 as by_source,
      (hashint8extended(n, 4) & 1073741823) / 1073741824.0::float8 as by_flag,
      (hashint8extended(n, 5) & 1073741823) % 3000 as by_message
    from generate_series($6::bigint, $7::bigint) n offset 0
  ) x
  join bench_donators d on d.number = floor(1000 * by_donator * by_donator)::int
  join bench_messages m on m.number = by_message`;

const alertsSql = `
  insert into alerts (streamer_id, donation_id, sequence, received_at, status, shown_at)
  select streamer_id, id, sequence, received_at, 'shown', received_at + interval '10 seconds'
  from donations where streamer_id = $1 and not skip_alert order by id`;
