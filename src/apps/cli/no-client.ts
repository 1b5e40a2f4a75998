/** What status and doctor say where no client has Pincer in its settings. */
export const NO_CLIENT = 'not configured in any client; pincer init <client> adds it';
