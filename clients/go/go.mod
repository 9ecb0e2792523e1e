module restante.example/clients/go

go 1.21
