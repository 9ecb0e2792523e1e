/** Targets whose requests fail: the first and the last failure since the last success. */
export const callbackFailures = `
create table callback_failure (target text primary key, since real not null, last real not null) strict, without rowid;
`;
