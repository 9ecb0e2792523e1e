/** Audit log; `entry` is JSON. Bounded by category. */
export const audit = `
create table audit (id text primary key, category text not null, entry text not null) strict, without rowid;
create index audit_category on audit (category, id);
`;
