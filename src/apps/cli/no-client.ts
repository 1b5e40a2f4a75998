export const NO_CLIENT = 'not configured in any client; run pincer init <client>';
