-- Goes into record-one-streamer.sql, at its marked place: an undo waits for the chunk, and no chunk comes after it.
and exists (select from imports where streamer_id = $1::uuid and id = /* import */::uuid and undone_at is null for share)
