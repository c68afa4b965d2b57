declare global {
  namespace Express {
    interface Request {
      /** Names the request in the log and in the answer. */
      id: string;
      /** The app that the request is for or from, as far as it is known; for the log. */
      appId?: string;
    }
  }
}

export {};
