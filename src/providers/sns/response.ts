/** XML namespace of Amazon SNS. */
export const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";

/** Account id in ARNs. */
export const accountId = "000000000000";
