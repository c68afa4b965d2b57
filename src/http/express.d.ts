declare global {
  namespace Express {
    interface Request {
      /** The app that the request is for or from, as far as it is known; for the log. */
      appId?: string;
    }
  }
}

export {};
