/** Emails that could not be parsed when they arrived. Entries of deleted messages are removed when they are due. */
export const rereads = `
create table reread (
  message uuid primary key,
  attempts integer not null,
  due_at double precision not null
);
create index reread_due on reread (due_at);
`;
