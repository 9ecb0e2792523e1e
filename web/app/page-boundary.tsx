import { Component, type ReactNode } from "react";
import { Button } from "../shared/button.tsx";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";

interface PageBoundaryProps {
  readonly address: string;
  readonly children: ReactNode;
}

interface PageBoundaryState {
  /** Address of which `error` is. */
  readonly address: string | null;
  readonly error: Error | null;
}

/**
 * Shows a page that could not be rendered as an error with its reason, and keeps the bar and its links. Another
 * address is rendered anew. React logs the error in the console.
 */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { address: null, error: null };

  static getDerivedStateFromError(reason: unknown): Pick<PageBoundaryState, "error"> {
    return { error: reason instanceof Error ? reason : new Error(String(reason)) };
  }

  static getDerivedStateFromProps({ address }: PageBoundaryProps, state: PageBoundaryState): PageBoundaryState {
    return address === state.address ? state : { address, error: null };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Page title={strings.broken.title} lead={strings.broken.lead(error.message)}>
        <p>
          <Button onClick={() => this.setState({ error: null })}>{strings.retry}</Button>
        </p>
      </Page>
    );
  }
}
