/**
 * Texts to search are compressed where the server can do so by lz4, as PostgreSQL 14 and later can as most are built: that
 * halves the write-ahead log and the disk of a mail. Where it cannot they stay as they are, for the compression that every
 * PostgreSQL has costs four times all else; and so they do where Citus has divided the tables before, which cannot be
 * altered like this then. What was stored before is read as it is.
 */
export const compressedText = `
do $$ begin
  execute 'alter table message alter column body set compression lz4, alter column body set storage extended';
  execute 'alter table indexed_text alter column body set compression lz4, alter column body set storage extended';
exception when feature_not_supported or syntax_error then
  null;
end $$;
`;
