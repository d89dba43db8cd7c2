-- How far the import of a file in the studio is, so that its page shows it, whichever process imports.
alter table imports
  add column progress jsonb, -- counts, faults and state; null: brought along by the API or the command line
  add column progressed_at timestamptz; -- one that runs and has not progressed for a minute was interrupted
