import { Link } from 'wouter';
import type { Target } from './filters/condition.ts';
import { appPath, type Scope } from './scope.ts';

interface IndexOfferProps {
  scope: Scope;
  targets: readonly Target[];
}

/** Offers an index on the fields that could have one. Only admins edit the schema. */
export function IndexOffer({ scope, targets }: IndexOfferProps) {
  const possible = targets.filter(({ index }) => index === 'possible');
  return possible.map(({ path, label }) => (
    <span key={path}>
      {scope.asAdmin ? (
        <Link href={`${appPath(scope)}?field=${encodeURIComponent(path.replace(/^data\./, ''))}`}>Index {label}</Link>
      ) : (
        `An administrator can index ${label}.`
      )}
    </span>
  ));
}
