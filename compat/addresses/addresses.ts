/** Prints which address validators of npm accept: one JSON object by name of the validator, then by address. */
import validator from "validator";
import { z } from "zod";

const validators: Readonly<Record<string, (address: string) => boolean>> = {
  "validator.js isEmail": (address) => validator.isEmail(address),
  "zod z.email()": (address) => z.email().safeParse(address).success,
};
const accepted = Object.entries(validators).map(([name, accepts]) => [
  name,
  Object.fromEntries(process.argv.slice(2).map((address) => [address, accepts(address)])),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(accepted)));
