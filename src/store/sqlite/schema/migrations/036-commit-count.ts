/** Number of commits with mails, which the file `restante.commits` repeats outside of the database. */
export const commitCount = `
alter table state add column commit_count integer not null default 0;
`;
