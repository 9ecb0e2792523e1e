/** Attempts that have delivered a message, until events about it are made: ids in the order of time. */
export const callbackReports = `
create table callback_report (id text collate "C" primary key, message uuid not null);
`;
