// What cannot be drawn does not take the page with it.
import { Component } from "react";

/** Props: `text` (what is drawn: another one is tried anew), `otherwise` (stands there where it fails), `children`. */
export class Guarded extends Component {
  state = { failed: false, text: null };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  static getDerivedStateFromProps({ text }, before) {
    return text === before.text ? null : { failed: false, text };
  }

  render() {
    return this.state.failed ? this.props.otherwise : this.props.children;
  }
}
