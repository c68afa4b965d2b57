import classes from './webhooks.module.css';

/** A text as it was sent or received. Long ones scroll. */
export function TextBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <pre className={classes.body} tabIndex={0}>
      {text}
    </pre>
  );
}
