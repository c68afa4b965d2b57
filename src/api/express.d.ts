declare global {
  namespace Express {
    interface Request {
      /** Identifies the request in the log and in the response. */
      id: string;
      /** The app that the request names or is authenticated as; for the log. */
      appId?: string;
    }
  }
}

export {};
