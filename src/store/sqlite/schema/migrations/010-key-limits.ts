/** Limits, use and rotation of API keys; `networks` is a JSON array. */
export const keyLimits = `
alter table api_key add column scope text not null default 'full';
alter table api_key add column expires_at real;
alter table api_key add column requests_per_minute integer;
alter table api_key add column networks text not null default '[]';
alter table api_key add column last_used_at real;
alter table api_key add column former_hash text;
alter table api_key add column former_until real;
create unique index api_key_former on api_key (former_hash) where former_hash is not null;
drop trigger sign_in_of_removed_key;
create trigger sign_in_of_removed_key after delete on api_key begin
  delete from sign_in where key_hash = old.hash or key_hash = old.former_hash;
end;
`;
