/** Placeholder until the solver is merged: no solution, so the submission is held or refused. */
export const solve = async (_challenge: never): Promise<string> => '';
