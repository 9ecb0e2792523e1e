/**
 * Compresses search texts with lz4 if the server supports it, as usual builds of PostgreSQL 14 and later do: this halves
 * the write-ahead log and the disk space of a message. Otherwise columns are not changed, because the compression that
 * every PostgreSQL has would cost four times everything else. Nor are they if Citus has already distributed the tables,
 * which cannot be altered like this afterwards. Existing values are read as they are.
 */
export const compressedText = `
do $$ begin
  execute 'alter table message alter column body set compression lz4, alter column body set storage extended';
  execute 'alter table indexed_text alter column body set compression lz4, alter column body set storage extended';
exception when feature_not_supported or syntax_error then
  null;
end $$;
`;
