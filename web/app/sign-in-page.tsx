import { useMutation, useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { queryKeys } from "../api/query-keys.ts";
import { issuerAddress, signIn, signInReason, type SignInReason, useIssuers } from "../api/session.ts";
import brandStyles from "../shared/brand.module.css";
import { Button, buttonClass } from "../shared/button.tsx";
import { Field } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";
import type { Issuer } from "../wire.ts";
import styles from "./sign-in-page.module.css";

/** Key or one-time token that was submitted, until the signal aborts. */
interface Attempt {
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** Page that asks for an API key. */
export function SignInPage(): ReactElement {
  const [key, setKey] = useState("");
  const cache = useQueryClient();
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: async ({ secret, signal }: Attempt) => signIn(secret, signal),
    onSuccess: async () => cache.invalidateQueries({ queryKey: queryKeys.session }),
  });
  const replaced = useRef<AbortController>(null);
  const isSent = isPending && variables.secret === key.trim();
  const [labels, issuers] = [strings.signIn, useIssuers()];
  const reason = signInReason();
  const problem = error === null ? reason && reasonText(reason) : problemText(error);
  const formRef = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!isPending) formRef.current?.querySelector("input")?.focus();
  }, [isPending]);
  return (
    <main className={styles.signIn} id="content">
      <form
        ref={formRef}
        className={pageStyles.panel}
        onSubmit={(event) => {
          event.preventDefault();
          // A key that is corrected before the first one is answered replaces it.
          replaced.current?.abort();
          replaced.current = new AbortController();
          mutate({ secret: key.trim(), signal: replaced.current.signal });
        }}
      >
        <div className={brandStyles.brand}>
          <img src={stamp} alt="" />
          <b>{strings.product}</b>
        </div>
        <h1>{labels.title}</h1>
        <IssuerLinks issuers={issuers} />
        <Field
          label={labels.key}
          type="password"
          autoComplete="current-password"
          required
          value={key}
          onChange={setKey}
        />
        {problem !== null && (
          <p className={layout.bad} role="alert">
            {problem}
          </p>
        )}
        <Button variant={issuers.length === 0 ? "primary" : "plain"} type="submit" disabled={isSent}>
          {labels.submit}
        </Button>
        <p className={clsx(layout.faint, layout.small)}>{labels.where}</p>
      </form>
    </main>
  );
}

function reasonText(reason: SignInReason): string {
  return typeof reason === "string" ? strings.signIn.reasons[reason] : reason.text;
}

function problemText(error: Error): string {
  const status = error instanceof ApiError ? error.status : null;
  if (status === 0) return error.message;
  if (status === 401) return strings.signIn.wrong;
  return status === 429 ? strings.signIn.many : error.message;
}

/** Links to the OpenID providers at which users sign in. */
function IssuerLinks({ issuers }: { readonly issuers: readonly Issuer[] }): ReactElement {
  return (
    <>
      {issuers.map((issuer) => (
        <a key={issuer.name} className={buttonClass("primary")} href={issuerAddress(issuer)}>
          {strings.signIn.at(issuer.label)}
        </a>
      ))}
    </>
  );
}
