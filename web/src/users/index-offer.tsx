import { Link } from 'wouter';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import type { Target } from './filters/condition.ts';
import { appPath, type Scope } from './scope.ts';

interface IndexOfferProps {
  scope: Scope;
  targets: readonly Target[];
}

/** Offers an index on the fields that could have one. Managers and admins edit the schema. */
export function IndexOffer({ scope, targets }: IndexOfferProps) {
  const { schema } = useAbilities();
  const possible = targets.filter(({ index }) => index === 'possible');
  return possible.map(({ path, label }) => (
    <span key={path}>
      {schema ? (
        <Link href={`${appPath(scope)}?field=${encodeURIComponent(path.replace(/^data\./, ''))}`}>
          {t.users.index(label)}
        </Link>
      ) : (
        t.users.askForIndex(label)
      )}
    </span>
  ));
}
