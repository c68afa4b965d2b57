import { useState } from 'react';
import { Value } from '../components/value.tsx';
import { t } from '../texts/texts.ts';
import { headOf } from './fold.ts';
import classes from './full-value.module.css';

/** Shows a stored value; a long one is folded. Renders text only, as the table does. */
export function FullValue({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null)
    return (
      <pre className={classes.json}>
        <Text text={JSON.stringify(value, null, 2)} />
      </pre>
    );
  if (typeof value === 'string' && value !== '' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return <Text text={value} />;
  return <Value value={value} />;
}

function Text({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const head = headOf(text);
  if (head === undefined) return <>{text}</>;
  return (
    <>
      {isOpen ? text : `${head}…`}{' '}
      <button type="button" className={classes.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t.record.showLess : t.record.showAll(text.length)}
      </button>
    </>
  );
}
