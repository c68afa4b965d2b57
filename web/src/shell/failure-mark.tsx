import classes from './failure-mark.module.css';

/** Marks a link behind which something fails. @param failure in words */
export function FailureMark({ failure, className = '' }: { failure: string; className?: string | undefined }) {
  return (
    <>
      <span className={`${className} ${classes.mark}`} title={failure} aria-hidden="true">
        !
      </span>
      <span className="visually-hidden">({failure})</span>
    </>
  );
}
