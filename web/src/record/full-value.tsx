import { Value } from '../components/value.tsx';
import classes from './full-value.module.css';

/** A stored value at its whole length. It stays text, like in the table. */
export function FullValue({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null)
    return <pre className={classes.json}>{JSON.stringify(value, null, 2)}</pre>;
  if (typeof value === 'string' && value !== '' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return <>{value}</>;
  return <Value value={value} />;
}
