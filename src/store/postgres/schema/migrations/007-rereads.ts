/** Mails that could not be read when they arrived. Entries of deleted messages are removed when they are due. */
export const rereads = `
create table reread (
  message uuid primary key,
  attempts integer not null,
  due_at double precision not null
);
create index reread_due on reread (due_at);
`;
