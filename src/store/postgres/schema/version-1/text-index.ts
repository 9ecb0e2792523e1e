/**
 * Text index of large servers: segments of signatures and filters of subjects, bodies and search fields (`store/signatures`). All
 * of it can be rebuilt from `message`.
 *
 * A segment covers up to 2048 messages; `slots` are theirs, 16 bytes each, ascending, and `groups` is page 0 of the layout.
 * `text_page` has its other pages, and under the negative number of `merged_filter` those of a filter that several segments
 * share. `text_progress` has a row for each indexed server: messages up to the sequence number `up_to` are in segments. While
 * `walk_to` is not null, so are those up to it whose slots are at most `walk_slot`, and about `walk_count` messages remain to be
 * read. `version` changes with every change of the server's segments.
 */
export const textIndex = `
create table text_progress (
  server_id bigint primary key,
  epoch bigint not null,
  up_to bigint not null,
  walk_to bigint,
  walk_slot uuid not null,
  walk_count bigint not null,
  version bigint not null
) with (fillfactor = 50);

create table text_segment (
  server_id bigint not null,
  epoch bigint not null,
  number bigint not null,
  size integer not null,
  is_full boolean not null,
  merged_filter bigint,
  received_first uuid,
  received_last uuid,
  sent_first uuid,
  sent_last uuid,
  groups text not null,
  unindexed text not null,
  slots bytea not null,
  primary key (server_id, epoch, number)
);
alter table text_segment alter column slots set storage external;

create table text_page (
  server_id bigint not null,
  epoch bigint not null,
  segment bigint not null,
  number integer not null,
  bytes bytea not null,
  primary key (server_id, epoch, segment, number)
);
alter table text_page alter column bytes set storage external;
do $$ begin
  -- Pages of filters are 2 kB and stay in the row.
  execute 'alter table text_page set (toast_tuple_target = 4096)';
exception when feature_not_supported or syntax_error or invalid_parameter_value then
  null;
end $$;
`;
