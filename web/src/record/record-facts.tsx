import type { ReactNode } from 'react';
import type { DetailedRecord } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import { Time } from '../components/time.tsx';
import classes from './record-facts.module.css';

interface RecordFactsProps {
  record: Pick<DetailedRecord, 'createdAt' | 'updatedAt' | 'schemaVersion' | 'confirmedAt' | 'consents'>;
  newestVersion: number | undefined;
  /** Whether the app asks people to confirm their address; undefined until that is known. */
  asksToConfirm: boolean | undefined;
}

/** The metadata of a record. */
export function RecordFacts({ record, newestVersion, asksToConfirm }: RecordFactsProps) {
  const { createdAt, updatedAt, schemaVersion, confirmedAt, consents = [] } = record;
  const isNewest = newestVersion === undefined || newestVersion === schemaVersion;
  return (
    <section aria-label="About this record">
      <dl className={classes.facts}>
        <Fact name="Created">
          <Time at={createdAt} />
        </Fact>
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
        <Fact name="Schema version">{isNewest ? schemaVersion : `${schemaVersion} (newest: ${newestVersion})`}</Fact>
        <Fact name="Confirmation">
          {confirmedAt !== undefined ? (
            <>
              Email confirmed <Time at={confirmedAt} />
            </>
          ) : (
            asksToConfirm !== undefined && (asksToConfirm ? 'Email not confirmed' : 'Not asked for')
          )}
        </Fact>
        <Fact name="Consents">{consents.length > 0 ? count(consents.length, 'change') : 'None recorded'}</Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
