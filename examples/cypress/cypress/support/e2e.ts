import "restante/cypress";
