import { type ReactNode, useState } from 'react';
import { isIsoDate } from '#src/platform/text/iso-date.ts';
import { Time } from '../components/content/time.tsx';
import { Value } from '../components/content/value.tsx';
import { t } from '../texts/texts.ts';
import { headOf } from './fold.ts';
import classes from './full-value.module.css';
import { useFirst } from './newest-first.tsx';

/** Values in more lists and objects than these are shown as JSON, which bounds the page. */
const MAX_DEPTH = 3;

interface FullValueProps {
  value: unknown;
  /** The names of the members of objects that the service made; others have their keys. */
  names?: Partial<Record<string, string>>;
  /** How many lists and objects the value is in. */
  depth?: number;
}

/**
 * Shows a stored value: lists and objects item by item, long ones folded. Renders text only, as
 * the table does.
 */
export function FullValue({ value, names, depth = 0 }: FullValueProps) {
  if (typeof value === 'object' && value !== null) {
    const size = Array.isArray(value) ? value.length : Object.keys(value).length;
    if (size === 0) return <Value value={undefined} />;
    if (depth === MAX_DEPTH) {
      return (
        <pre className={classes.json}>
          <Text text={JSON.stringify(value, null, 2)} />
        </pre>
      );
    }
    const nested = { ...(names && { names }), depth: depth + 1 };
    if (Array.isArray(value)) return <Items items={value} {...nested} />;
    return <Members members={value as Record<string, unknown>} {...nested} />;
  }
  if (typeof value === 'string' && value !== '' && !isIsoDate(value)) return <Text text={value} />;
  return <Value value={value} />;
}

type Nested = Omit<FullValueProps, 'value'>;

function Items({ items, ...nested }: { items: readonly unknown[] } & Nested) {
  const { first, more } = useFirst(items);
  return (
    <>
      <ul className={classes.items}>
        {first.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items of a value have no id and stay in place
          <li key={index}>
            <StoredItem item={item} {...nested} />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

interface StoredItemProps extends Nested {
  item: unknown;
  /** Shown for a missing time. Absent: an object without a time is no item of an array field. */
  unknownTime?: string;
  /** Stands beside the time. */
  children?: ReactNode;
}

/**
 * Shows an item of an array field. Items are stored as objects with a `timestamp`; submitted
 * scalars are stored in `value`.
 */
export function StoredItem({ item, unknownTime, children, ...nested }: StoredItemProps) {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return <FullValue value={item} {...nested} />;
  const { timestamp, ...rest } = item as Record<string, unknown>;
  const isTimed = typeof timestamp === 'string';
  if (!isTimed && unknownTime === undefined) return <FullValue value={item} {...nested} />;
  const keys = Object.keys(rest);
  const isScalar = keys.length === 1 && keys[0] === 'value';
  return (
    <>
      <div className={classes.time}>
        {isTimed ? <Time at={timestamp} /> : unknownTime}
        {children}
      </div>
      {keys.length === 0 && <span className={classes.empty}>{t.record.emptyItem}</span>}
      {isScalar && <FullValue value={rest.value} {...nested} />}
      {!isScalar && keys.length > 0 && <Members members={rest} {...nested} />}
    </>
  );
}

function Members({ members, names = {}, ...nested }: { members: Readonly<Record<string, unknown>> } & Nested) {
  const { first, more } = useFirst(Object.entries(members));
  return (
    <>
      <dl className={classes.members}>
        {first.map(([key, value]) => (
          <div key={key} className={classes.member}>
            <dt>{Object.hasOwn(names, key) ? names[key] : key}</dt>
            <dd>
              <FullValue value={value} names={names} {...nested} />
            </dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  );
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
