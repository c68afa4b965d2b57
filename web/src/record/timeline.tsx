import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Time } from '../components/time.tsx';
import { FullValue } from './full-value.tsx';
import classes from './timeline.module.css';

/** An array may hold a thousand items; so many are shown at once. */
const AT_ONCE = 20;

/** The items of an array field with the time each came, newest first. */
export function Timeline({ items }: { items: readonly unknown[] }) {
  const [shown, setShown] = useState(AT_ONCE);
  if (items.length === 0) {
    return (
      <Text c="dimmed" p="md" px={20}>
        No items yet
      </Text>
    );
  }
  const newestFirst = items.map((item, index) => ({ item, index })).reverse();
  return (
    <>
      <ol className={classes.timeline} reversed>
        {newestFirst.slice(0, shown).map(({ item, index }) => (
          <li key={index} className={classes.item}>
            <Item item={item} />
          </li>
        ))}
      </ol>
      {items.length > shown && (
        <Button variant="subtle" size="xs" m="md" mt={0} onClick={() => setShown(shown + AT_ONCE)}>
          Show {Math.min(AT_ONCE, items.length - shown)} more of {items.length}
        </Button>
      )}
    </>
  );
}

/** Items are stored as objects with the service's `timestamp`; a value that was sent bare is in `value`. */
function Item({ item }: { item: unknown }) {
  if (typeof item !== 'object' || item === null) return <FullValue value={item} />;
  const { timestamp, ...rest } = item as Record<string, unknown>;
  const keys = Object.keys(rest);
  const bare = keys.length === 1 && keys[0] === 'value';
  return (
    <>
      <div className={classes.time}>{typeof timestamp === 'string' ? <Time at={timestamp} /> : 'time unknown'}</div>
      {bare && <FullValue value={rest.value} />}
      {!bare && keys.length === 0 && <Text c="dimmed">an item without content</Text>}
      {!bare && keys.length > 0 && (
        <dl className={classes.properties}>
          {keys.map((key) => (
            <div key={key} className={classes.property}>
              <dt>{key}</dt>
              <dd>
                <FullValue value={rest[key]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
