-- Running services listen (src/database/Listener.ts) and rebuild their schema. Anyone may notify, after a change by hand.
notify schema_changed;
