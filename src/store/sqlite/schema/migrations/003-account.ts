/** Devices, daily usage, and zones of servers. */
export const account = `
create table device (
  id text primary key,
  name text not null,
  sealed_secret blob not null,
  created_at real not null
) strict, without rowid;

create table usage (
  day integer primary key,
  email integer not null,
  sms integer not null
) strict;

create table dns_zone (
  server text primary key,
  zone text not null
) strict, without rowid;
create trigger dns_zone_of_deleted_server after delete on server begin
  delete from dns_zone where server = old.id;
end;
`;
