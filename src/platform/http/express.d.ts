declare global {
  namespace Express {
    interface Request {
      /** The id of the request in the log and in the response. */
      id: string;
    }
  }
}

export {};
