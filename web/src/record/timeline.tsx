import { Text } from '@mantine/core';
import { TrashIcon } from '../components/icons.tsx';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';
import { FullValue } from './full-value.tsx';
import { useNewestFirst } from './newest-first.tsx';
import classes from './timeline.module.css';

interface TimelineProps {
  items: readonly unknown[];
  /** Removes the items with this timestamp. Absent: items cannot be removed. */
  onRemove?: ((timestamp: string) => void) | undefined;
}

/** Lists the items of an array field with their timestamps, newest first. */
export function Timeline({ items, onRemove }: TimelineProps) {
  const { newest, more } = useNewestFirst(items);
  if (items.length === 0) {
    return (
      <Text size="md" c="dimmed" p="md" px={20}>
        {t.record.noItems}
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.timeline} reversed>
        {newest.map(({ item, index }) => (
          <li key={index} className={classes.item}>
            <Item item={item} onRemove={onRemove} />
          </li>
        ))}
      </ol>
      {more}
    </>
  );
}

/** Items are stored as objects with a `timestamp`. Submitted scalars are stored in `value`. */
function Item({ item, onRemove }: { item: unknown; onRemove: TimelineProps['onRemove'] }) {
  if (typeof item !== 'object' || item === null) return <FullValue value={item} />;
  const { timestamp, ...rest } = item as Record<string, unknown>;
  const keys = Object.keys(rest);
  const isScalar = keys.length === 1 && keys[0] === 'value';
  return (
    <>
      <div className={classes.time}>
        {typeof timestamp === 'string' ? <Time at={timestamp} /> : t.record.unknownTime}
        {onRemove && typeof timestamp === 'string' && (
          <button
            type="button"
            className={classes.remove}
            aria-label={t.record.removeItem(timestamp)}
            onClick={() => onRemove(timestamp)}
          >
            <TrashIcon size={14} />
          </button>
        )}
      </div>
      {isScalar && <FullValue value={rest.value} />}
      {!isScalar && keys.length === 0 && (
        <Text size="md" c="dimmed">
          {t.record.emptyItem}
        </Text>
      )}
      {!isScalar && keys.length > 0 && (
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
