import { Component, type ReactNode } from "react";

/** A page that cannot be drawn says so and leaves the rest of the dashboard as it is. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="trouble" role="alert">
        <p>
          <strong>This page could not be drawn.</strong> {error.message}
        </p>
        <p>Nothing of the run is touched by this; `coordinator status` shows the same at a terminal.</p>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </div>
    );
  }
}
