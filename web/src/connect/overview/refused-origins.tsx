import { Button } from '@mantine/core';
import type { FormSettings } from '../../api/endpoints.ts';
import { Time } from '../../components/time.tsx';
import classes from '../connect-page.module.css';
import type { SettingsChange, useChangeSettings } from '../queries.ts';
import { isAllowable } from './origin.ts';

const MAX_SHOWN = 5;

/** The change that allows an origin; `null` is that of a file. */
export function allowing(origin: string): SettingsChange {
  return (settings) => {
    if (origin === 'null') return { nullOrigin: true };
    if (settings.origins.includes('*') || settings.origins.includes(origin)) return {};
    return { origins: [...settings.origins, origin] };
  };
}

/** The refused origins that are still not allowed, the latest first. */
export function stillRefused({ refusedOrigins, origins, nullOrigin }: FormSettings): FormSettings['refusedOrigins'] {
  return refusedOrigins.filter(({ origin }) => {
    if (origin === 'null') return !nullOrigin;
    return !origins.includes(origin) && !origins.includes('*');
  });
}

interface RefusedOriginsProps {
  settings: FormSettings;
  change: ReturnType<typeof useChangeSettings>;
}

/** Origins whose submissions were refused, each with a button that allows it. */
export function RefusedOrigins({ settings, change }: RefusedOriginsProps) {
  const refused = stillRefused(settings);
  return (
    <div aria-live="polite">
      {refused.length > 0 && (
        <ul className={classes.refused} aria-label="Refused websites">
          {refused.slice(0, MAX_SHOWN).map(({ origin, count, lastAt }) => (
            <li key={origin}>
              <span className="breaks">
                Last refused: <strong>{origin === 'null' ? 'a file on a computer' : origin}</strong> ({times(count)},{' '}
                <Time at={lastAt} relative />)
              </span>
              {isAllowable(origin) ? (
                <Button
                  size="compact-sm"
                  aria-label={`Allow ${origin === 'null' ? 'files' : origin}`}
                  disabled={change.isPending}
                  onClick={() => change.mutate(allowing(origin))}
                >
                  Allow
                </Button>
              ) : (
                <span className={classes.detail}>Not a website, so it cannot be allowed</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count.toLocaleString()} times`;
}
