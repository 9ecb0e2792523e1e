/** Audit log of all nodes; `entry` is JSON. Bounded by category. */
export const audit = `
create table audit (id text collate "C" primary key, category text collate "C" not null, entry text not null);
create index audit_category on audit (category, id);
`;
