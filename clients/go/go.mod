module restante.example/restantetest

go 1.21
