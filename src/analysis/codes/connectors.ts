/** Words and signs between a label and its code. */

const verb =
  "is|are|ist|lautet|est|es|és|é|è|είναι|är|er|eru|on|on:|je|jest|este|е|је|є|yra|ir|është|van|adalah|ialah|yaiku|be|the|with|using|là|la|ni|waa|ithi|yw|ass|huwa|estas|se|ay|איז|שלך הוא|הוא|هو|ہے|है";
function connectorOf(verbs: string): RegExp {
  return new RegExp(
    `(?:[:=>»|՝\\-為为是はがは는은을를]|เป็น|คือ|ແມ່ນ|គឺ|မှာ|ต่อไปนี้|(?:^|\\s)(?:${verbs}))[\\s"'“”„«‹(（[【「『*]*$`,
    "iu",
  );
}
/** End of a text that leads to a number: a colon, a verb. */
export const connector: RegExp = connectorOf(verb);
/** As {@link connector}, after a label, where Polish `to` is a verb. */
export const connectorAfterLabel: RegExp = connectorOf(`${verb}|to`);
/** Rest of the cell of a label, and the tab before the next cell. */
export const nextCell: RegExp = /^[^\t\n]*\t\s*$/;
/** Text between two entries of a list. */
export const listed: RegExp =
  /^(?:[\s,;/&|(]*(?:and|or|und|oder|et|ou|y|o|e|en|of|och|eller|og|и|или|和|と|또는))?[\s,;/&|(]*$/iu;
