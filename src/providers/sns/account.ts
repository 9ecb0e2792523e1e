/** Account id in ARNs. */
export const accountId = "000000000000";
