import { Value } from '../components/value.tsx';
import classes from './full-value.module.css';

/** Shows a stored value in full length. Renders text only, as the table does. */
export function FullValue({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null)
    return <pre className={classes.json}>{JSON.stringify(value, null, 2)}</pre>;
  if (typeof value === 'string' && value !== '' && !/^\d{4}-\d{2}-\d{2}/.test(value)) return <>{value}</>;
  return <Value value={value} />;
}
