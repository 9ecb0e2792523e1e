/** Time of the last verification email of an address; outlives the address, so that removing it keeps the limit. */
export const verificationMails = `
create table verification_mail (
  address_folded text primary key,
  asked_at real not null
) strict, without rowid;
`;
