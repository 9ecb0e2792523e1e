/** Targets whose requests fail: the first and the last failure since the last success. */
export const callbackFailures = `
create table callback_failure (
  target text collate "C" primary key,
  since double precision not null,
  last double precision not null
);
`;
