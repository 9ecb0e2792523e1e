import { indexesOfVersion } from "./035-normal-form.ts";

/** Search fields of the fourth version, with the codes of further languages. */
export const codesOfLanguages: string = indexesOfVersion(4);
