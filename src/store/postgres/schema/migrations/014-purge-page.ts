/**
 * Allocates the first page of `purge` and keeps it: emptying or deleting a server adds a row there, which must also work
 * while the disk is full. The row is deleted in the same transaction; without the storage parameter, vacuum would return the
 * empty page to the disk.
 */
export const purgePage = `
do $$ begin
  execute 'alter table purge set (vacuum_truncate = false)';
exception when feature_not_supported or syntax_error or invalid_parameter_value then
  null;
end $$;
insert into purge (server_id, epoch, message_count) values (0, 0, 0);
delete from purge where server_id = 0 and epoch = 0;
`;
