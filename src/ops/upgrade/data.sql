-- Data of a streamer, and of another one, for the schema of the last release (released.json).
-- Roll-ups and blocks of the search are left out: the server's workers make them, whatever version it has.

insert into streamer_handles (handle, streamer_id) values
  ('somchai', '01700000-0000-7000-8000-00000000a001'), ('other', '01700000-0000-7000-8000-00000000a002');
insert into streamers (id, created_at, last_sequence, last_received_at) values
  ('01700000-0000-7000-8000-00000000a001', '2020-01-01T00:00Z', 303, '2020-06-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000a002', '2020-01-01T00:00Z', 1, '2020-06-01T00:00Z');
insert into applications (id, streamer_id, name, created_at) values
  ('01700000-0000-7000-8000-00000000b001', '01700000-0000-7000-8000-00000000a001', 'default', '2020-01-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000b002', '01700000-0000-7000-8000-00000000a001', 'bot', '2020-01-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000b003', '01700000-0000-7000-8000-00000000a002', 'default', '2020-01-01T00:00Z');
-- The keys of questions.ts.
insert into api_keys (id, streamer_id, application_id, public_id, secret_hash, name, scopes, created_at) values
  ('01700000-0000-7000-8000-00000000c001', '01700000-0000-7000-8000-00000000a001', '01700000-0000-7000-8000-00000000b001', 'acxWJWtF',
   sha256('namjai_v1_acxWJWtFiyN2CD17q2bgXDwtVH9xEECWLXR1gumx2EpxTr'), '', '{read:donations,read:alerts,void:donations}', '2020-01-01T00:00Z');
insert into overlay_keys (id, streamer_id, name, public_id, secret_hash, created_at) values
  ('01700000-0000-7000-8000-00000000c002', '01700000-0000-7000-8000-00000000a001', 'OBS', 'e4dDTOeX',
   sha256('namjai_o1_e4dDTOeXxkgl1Umgg5eYff1lJwkCjxusbbyaRDmk4NuL3H'), '2020-01-01T00:00Z');

-- 300 ordinary ones of two applications: names and identifiers that return, every source, a third with an offset of its own.
insert into donations (streamer_id, id, sequence, application_id, idempotency_key, donator_name, donator_key, amount, currency, message,
  identifier, skip_alert, source, channel, created_at, created_offset, received_at)
select '01700000-0000-7000-8000-00000000a001', ('01700000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n,
  case when n % 3 = 0 then '01700000-0000-7000-8000-00000000b002'::uuid else '01700000-0000-7000-8000-00000000b001' end,
  case when n % 2 = 0 then 'key-' || n end,
  'Donator ' || n % 17,
  case when n % 5 = 0 then 'i:id-' || n % 7 else 'n:donator ' || n % 17 end,
  n * 37 % 1000 + 0.25 * (n % 4) + 0.01, 'THB', 'ข้อความที่ ' || n,
  case when n % 5 = 0 then 'id-' || n % 7 end,
  n % 11 = 0,
  case when n % 29 = 0 then 'test' when n % 13 = 0 then 'native' else 'external' end,
  case when n % 29 = 0 then 'other' when n % 13 = 0 then 'promptpay' else 'external' end,
  timestamptz '2020-01-01T00:00Z' + n * interval '7 hours 13 minutes',
  case when n % 3 = 0 then 420 end,
  timestamptz '2020-01-01T00:00:01Z' + n * interval '7 hours 13 minutes'
from generate_series(1, 300) n;

-- The edges of the interface: the smallest and the largest amount, the first and the last year, U+FFFD and emoji.
insert into donations (streamer_id, id, sequence, application_id, idempotency_key, donator_name, donator_key, amount, currency, message,
  identifier, skip_alert, source, channel, created_at, created_offset, received_at) values
  ('01700000-0000-7000-8000-00000000a001', '01700000-0000-7000-8000-00000000d001', 301, '01700000-0000-7000-8000-00000000b001', null,
   '👨‍👩‍👧 ๆ', 'n:👨‍👩‍👧 ๆ', '5e-324', 'THB', U&'\FFFD', null, true, 'external', 'external', '0001-02-29T00:00Z BC', 0, '2020-05-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000a001', '01700000-0000-7000-8000-00000000d002', 302, '01700000-0000-7000-8000-00000000b001', 'last',
   'สมชาย', 'i:line:1', 1000000, 'THB', '', 'line:1', false, 'external', 'external', '9999-12-31T23:59:59.999Z', -1439, '2020-05-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000a001', '01700000-0000-7000-8000-00000000d003', 303, '01700000-0000-7000-8000-00000000b002', null,
   '%_\', 'n:%_\', 0.1, 'THB', 'two''s "quotes"', null, false, 'native', 'truemoney', '2020-05-01T00:00Z', null, '2020-06-01T00:00Z'),
  ('01700000-0000-7000-8000-00000000a002', '01700000-0000-7000-8000-00000000d004', 1, '01700000-0000-7000-8000-00000000b003', null,
   'สมชาย', 'n:สมชาย', 5, 'THB', 'ข้อความที่ 1', null, false, 'external', 'external', '2020-01-02T00:00Z', null, '2020-01-02T00:00Z');

insert into alerts (streamer_id, donation_id, sequence, status, reason, shown_at, received_at)
select streamer_id, id, sequence,
  case when sequence > 300 then 'queued' when sequence % 7 = 0 then 'skipped' else 'shown' end,
  case when sequence <= 300 and sequence % 7 = 0 then 'below_minimum' end,
  case when sequence <= 300 and sequence % 7 <> 0 then received_at + interval '9 seconds' end,
  case when sequence > 300 then now() else received_at end -- a waiting one expires after ten minutes
from donations where not skip_alert;

insert into overlays (streamer_id, paused, settings, taken_sequence) values
  ('01700000-0000-7000-8000-00000000a001', true,
   '{"minimumAmount": 20, "blockedWords": ["คำหยาบ"], "volume": 55, "goal": {"title": "กล้องใหม่", "target": 20000, "from": null}}', 300);
insert into speech_audio (hash, streamer_id, mime, bytes) values
  (repeat('ab', 32), '01700000-0000-7000-8000-00000000a001', 'audio/wav', '\x52494646');
insert into playbacks (id, streamer_id, donation_id, number, replay, sequence, state, speech_id, speech_mime, waits_since, started_at, ended_at)
select '01700000-0000-7000-8000-00000000e001', streamer_id, id, 1, false, sequence, 'shown', repeat('ab', 32), 'audio/wav', received_at,
  received_at + interval '1 second', received_at + interval '9 seconds'
from donations where streamer_id = '01700000-0000-7000-8000-00000000a001' and sequence = 10;
