import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useAddAddress, useVerifiedAddresses } from "../api/sending-permissions.ts";
import { useSession } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";

/** Notices about recipients that are not verified, each with a button that sends a verification, or else the rule. */
export function RecipientNotices({ addresses }: { readonly addresses: readonly string[] }): ReactElement {
  const { data: session } = useSession();
  const isAccount = session?.isAccount === true;
  const { data: known } = useVerifiedAddresses(isAccount);
  const unverified = (isAccount && known !== undefined ? addresses : [])
    .map((address) => address.trim().toLowerCase())
    .filter((address) => isAddress(address) && !address.endsWith(`.${session?.mailDomain ?? ""}`))
    .filter(
      (address) => known?.some((one) => one.status === "Verified" && one.address.toLowerCase() === address) !== true,
    );
  if (unverified.length === 0) return <p className={clsx(layout.faint, layout.small)}>{pageStrings.reply.verified}</p>;
  return (
    <>
      {unverified.map((address) => (
        <Notice
          key={address}
          address={address}
          isPending={known?.some((one) => one.address.toLowerCase() === address) === true}
        />
      ))}
    </>
  );
}

function Notice({ address, isPending }: { readonly address: string; readonly isPending: boolean }): ReactElement {
  const { mutate, error, isPending: isSending } = useAddAddress();
  const labels = pageStrings.recipient;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap)} role="status">
        <span className={layout.soft}>{isPending ? labels.pending(address) : labels.unverified(address)}</span>
        {isPending ? (
          <Link href="/addresses">{labels.enter}</Link>
        ) : (
          <Button
            disabled={isSending}
            onClick={() => {
              mutate(address);
            }}
          >
            {pageStrings.addresses.add}
          </Button>
        )}
      </div>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

function isAddress(text: string): boolean {
  return /^[^\s@,]+@[^\s@,]+\.[^\s@,.]{2,}$/.test(text);
}
